import ArgumentParser
import LoginCore
import LoginKit

/// The options for reaching a server that has no profile yet.
struct ConnectionOptions: ParsableArguments {
    @Flag(help: "Allow plain http to this origin.")
    var allowHttp = false

    @Option(
        help: ArgumentHelp(
            "Use this proxy, or 'none'. By default https goes through that of https_proxy or all_proxy.",
            valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp("Trust these authorities (PEM) instead of the system's.", valueName: "file"),
        completion: .file())
    var caFile: String?

    @Option(help: ArgumentHelp("Trust the certificate with this SHA-256 fingerprint.", valueName: "sha256:hex"))
    var trustFingerprint: String?

    func validate() throws {
        if let trustFingerprint, Fingerprint(trustFingerprint) == nil {
            throw ValidationError("--trust-fingerprint must be 'sha256:' and 64 hexadecimal digits.")
        }
    }
}

extension ConnectionOptions {
    /// As they are typed.
    var words: [String] {
        // A proxy's URL may hold a password.
        let shownProxy = proxy.flatMap { $0.contains("@") ? nil : $0 }
        let texts = [("--proxy", shownProxy), ("--ca-file", caFile), ("--trust-fingerprint", trustFingerprint)]
        return texts.flatMap { name, value in value.map { [name, $0] } ?? [] } + (allowHttp ? ["--allow-http"] : [])
    }

    func apply(to request: inout LoginRequest) {
        request.allowHTTP = allowHttp
        (request.proxy, request.caFile) = (proxy, caFile)
        request.policy.trust.fingerprint = trustFingerprint.flatMap { Fingerprint($0) }
    }
}
