@testable import LoginKit
@testable import LoginTestSupport
import Secrets

extension RecordingServer {
    var origin: Origin { Origin(scheme: "http", host: "127.0.0.1", port: port) }
}

extension Secret {
    /// Tests may look.
    var text: String { withUnsafeBytes { String(decoding: $0, as: UTF8.self) } }
    var bytes: [UInt8] { withUnsafeBytes { Array($0) } }
}

/// The error that a call throws.
func fault(_ call: () throws -> Void) -> LoginFault? {
    do {
        try call()
        return nil
    } catch {
        return error as? LoginFault
    }
}

extension LoginFault {
    /// A certificate that does not verify, if that is the error.
    var certificate: ServerTrust? {
        if case .untrusted(.certificate(let trust)) = self { trust } else { nil }
    }

    /// What is wrong with it.
    var reasons: [ServerTrust.Reason]? { certificate?.reasons }
}

extension Service {
    /// A login that needs nothing but its credential.
    func authenticate(_ credential: Credential) throws(LoginFault) -> Login {
        switch try begin(credential, code: nil) {
        case .accepted(let login): return login
        case .refused(let refusal): throw .rejected(refusal)
        case .unconfirmed(let login): throw .usage(.unconfirmed(login))
        case .needsCode(let words, _): throw .secondFactor(.required(words: words))
        case .pending: throw .secondFactor(.required(words: nil))
        }
    }
}
