import Foundation

/// A certificate and its key in PEM files.
struct CertificatePair: Sendable {
    let certificate: String
    let key: String

    /// As `openssl x509 -fingerprint -sha256` prints it: pairs of digits with colons.
    func fingerprint() throws -> String {
        let run = try Command.tool("openssl", ["x509", "-in", certificate, "-noout", "-fingerprint", "-sha256"])
        return run.output.split(separator: "=").last.map { $0.trimmingCharacters(in: .newlines) } ?? ""
    }
}

/// Certificates of many kinds, made by openssl in a folder that goes with the last reference.
final class TestCertificates {
    struct Failed: Error { let output: String }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "authctl-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// A certificate to be made.
    struct Wish {
        var subject = "/CN=127.0.0.1"
        /// The subjectAltName, such as `IP:127.0.0.1`; nothing for none.
        var names: String? = "IP:127.0.0.1"
        /// openssl's start and end.
        var period = ("20250101000000Z", "20450101000000Z")
        /// Further extensions, a line each.
        var extensions = "basicConstraints = CA:TRUE"
        var keyKind = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
        /// Signs it; nothing for itself.
        var authority: CertificatePair?

        init() {}
    }

    /// - Parameters:
    ///   - names: the subjectAltName, such as `IP:127.0.0.1`.
    ///   - period: openssl's start and end, such as `20200101000000Z`.
    func selfSigned(
        _ names: String = "IP:127.0.0.1", period: (String, String) = ("20250101000000Z", "20450101000000Z")
    ) throws -> CertificatePair {
        var wish = Wish()
        (wish.names, wish.period) = (names, period)
        return try make(wish)
    }

    func make(_ wish: Wish) throws -> CertificatePair {
        let name = UUID().uuidString
        let pair = CertificatePair(certificate: path("\(name).pem"), key: path("\(name).key"))
        let names = wish.names.map { "subjectAltName = \($0)" } ?? ""
        try """
        [ca]
        default_ca = d
        [d]
        database = \(path("\(name).txt"))
        new_certs_dir = \(folder.path)
        rand_serial = yes
        default_md = sha256
        policy = p
        x509_extensions = e
        [p]
        commonName = supplied
        [e]
        \(names)
        \(wish.extensions)
        """.write(toFile: path("\(name).cnf"), atomically: true, encoding: .utf8)
        try Data().write(to: URL(fileURLWithPath: path("\(name).txt")))
        try openssl(
            ["req", "-new", "-utf8", "-newkey"] + wish.keyKind + ["-nodes", "-keyout", pair.key]
                + ["-out", path("\(name).csr"), "-subj", wish.subject])
        let signer =
            wish.authority.map { ["-cert", $0.certificate, "-keyfile", $0.key] } ?? ["-selfsign", "-keyfile", pair.key]
        try openssl(
            ["ca", "-batch", "-utf8", "-config", path("\(name).cnf")] + signer
                + ["-in", path("\(name).csr"), "-out", pair.certificate, "-notext"]
                + ["-startdate", wish.period.0, "-enddate", wish.period.1])
        return pair
    }

    /// Runs openssl.
    func openssl(_ arguments: [String]) throws {
        let run = try Command.tool("openssl", arguments)
        guard run.ending == .exited(0) else { throw Failed(output: run.error) }
    }
}
