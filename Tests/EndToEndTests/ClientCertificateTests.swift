import Foundation
@testable import LoginTestSupport
import Testing

/// The binary against a real httpd that wants a client certificate, in TLS 1.2 and 1.3, at once or after the request.
@Suite(.onOwnThreads, RealServer.require("apache2"), RealServer.require("openssl"))
struct `A server that wants a client certificate` {
    let certificates: TestCertificates
    let authority: CertificatePair
    let httpd: CertificateHttpd
    let server: CertificatePair
    static let passphrase = "opens the key 7"

    init() throws {
        certificates = try TestCertificates()
        authority = try certificates.selfSigned()
        server = try certificates.selfSigned()
        httpd = try CertificateHttpd(server, authority: authority.certificate)
    }

    private func client(
        _ name: String, by authority: CertificatePair? = nil, period: (String, String)? = nil
    ) throws -> CertificatePair {
        var wish = TestCertificates.Wish()
        wish.subject = "/CN=\(name)"
        wish.names = nil
        wish.extensions = "extendedKeyUsage = clientAuth"
        wish.authority = authority ?? self.authority
        if let period { wish.period = period }
        return try certificates.make(wish)
    }

    private func installation(
        _ host: CertificateHttpd.Host, _ certificate: String?, _ key: String?, method: String = "certificate",
        verify: String = "/private/whoami.json"
    ) throws -> Installation {
        try Installation(
            config: """
                [profiles.box]
                url = "\(httpd.origin(host))"
                method = "\(method)"
                ca-file = "\(server.certificate)"
                \(certificate.map { "certificate = \"\($0)\"" } ?? "")
                \(key.map { "key = \"\($0)\"" } ?? "")
                verify = { get = "\(verify)", username = "/user" }
                """)
    }

    private func encrypted(_ pair: CertificatePair) throws -> String {
        let key = pair.key + ".encrypted"
        try certificates.openssl([
            "pkey", "-in", pair.key, "-aes256", "-passout", "pass:\(Self.passphrase)", "-out", key,
        ])
        return key
    }

    private func pkcs12(_ pair: CertificatePair, _ more: String...) throws -> String {
        let file = pair.key + ".p12"
        try certificates.openssl(
            ["pkcs12", "-export", "-in", pair.certificate, "-inkey", pair.key, "-out", file]
                + ["-passout", "pass:\(Self.passphrase)"] + more)
        return file
    }

    @Test(arguments: CertificateHttpd.Host.allCases)
    func `the right one logs in without a question, and is the account`(host: CertificateHttpd.Host) throws {
        let ann = try client("ann")
        let authctl = try installation(host, ann.certificate, ann.key)
        let login = try authctl.run("login", "box")
        #expect(login.code == 0, "\(login.error) \(httpd.errors)")
        #expect(try authctl.run("whoami").output == "ann\n")
        #expect(try authctl.run("login", "box").error.contains("Already logged in"))
        #expect(try authctl.run("status").code == 0)
        #expect(try authctl.run("token").code == 2)
        #expect(try authctl.run("token", "--header").code == 2)
        let arguments = ["-q", "-sS", "-K", "-", "\(httpd.origin(host))/private/whoami.json"]
        let config = Array(try authctl.run("token", "--as", "curl").output.utf8)
        #expect(try Command.tool("curl", arguments, input: config).output.contains("ann"))
        #expect(try authctl.run("whoami", "-u", "bob").code == 4)
        let curl = "curl -q -fsS \"$AUTHCTL_SERVE_URL\"private/whoami.json"
        let served = try authctl.run("exec", "-P", "box", "--serve", "--", "sh", "-c", curl)
        #expect(served.output.contains("ann"), "\(served.error)")
        let logout = try authctl.run("logout")
        #expect(logout.code == 0 && !logout.error.contains("Kerberos"))
        #expect(try authctl.run("whoami").code == 4)
    }

    @Test(arguments: CertificateHttpd.Host.allCases)
    func `one that may not go in is 10, and one of nobody known is 7`(host: CertificateHttpd.Host) throws {
        let mallory = try client("mallory")
        let forbidden = try installation(host, mallory.certificate, mallory.key).run("login", "box")
        #expect(forbidden.code == 10, "\(forbidden.error)")
        let foreign = try client("ann", by: try certificates.selfSigned())
        let refused = try installation(host, foreign.certificate, foreign.key).run("login", "box")
        #expect(refused.code == 7, "\(refused.error) \(httpd.errors)")
        #expect(refused.error.contains("does not trust the authority"), "\(refused.error)")
    }

    @Test(arguments: [CertificateHttpd.Host.tls12, .tls13])
    func `none where one is wanted is told as such`(host: CertificateHttpd.Host) throws {
        let run = try installation(host, nil, nil, method: "basic").run(
            ["login", "box", "-u", "ann", "--password-stdin"], input: Self.passphrase)
        #expect(run.code == 7 && run.error.contains("requires a client certificate"), "\(run.error)")
        #expect(httpd.accesses().isEmpty)
    }

    @Test func `what is wrong with the files is told before anything is connected`() throws {
        let ann = try client("ann"), bob = try client("bob")
        let expired = try client("ann", period: ("20200101000000Z", "20200201000000Z"))
        let early = try client("ann", period: ("20440101000000Z", "20450101000000Z"))
        let open = bob.key + ".open"
        try FileManager.default.copyItem(atPath: bob.key, toPath: open)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: open)
        try FileManager.default.createSymbolicLink(atPath: bob.key + ".link", withDestinationPath: open)
        let legacy = try pkcs12(
            bob, "-legacy", "-certpbe", "PBE-SHA1-RC2-40", "-keypbe", "PBE-SHA1-RC2-40")
        let cases: [(String, String?, String)] = [
            (ann.certificate, bob.key, "does not belong to the certificate"),
            (expired.certificate, expired.key, "expired on"),
            (early.certificate, early.key, "is not valid before"), (bob.certificate, open, "accessible to other users"),
            (bob.certificate, bob.key + ".link", "accessible to other users"),
            (folder + "/missing", bob.key, "cannot read"),
            (bob.key, bob.key, "contains no certificate"),
            (bob.certificate, bob.certificate, "accessible to other users"),
            (folder, bob.key, "not a regular file"), (legacy, nil, "old encryption"),
        ]
        for (certificate, key, words) in cases {
            let run = try installation(.tls13, certificate, key).run(
                ["login", "box", "--password-stdin"], input: Self.passphrase)
            #expect(run.code == 2 && run.error.contains(words), "\(words): \(run.error)")
        }
        #expect(httpd.accesses().isEmpty)
    }

    private var folder: String { (authority.certificate as NSString).deletingLastPathComponent }

    @Test(arguments: [true, false])
    func `the passphrase is asked for, checked here, and kept like a password`(isPKCS12: Bool) throws {
        let ann = try client("ann")
        let authctl =
            isPKCS12
            ? try installation(.tls13, pkcs12(ann), nil) : try installation(.tls12, ann.certificate, encrypted(ann))
        let nobody = try authctl.run("login", "box")
        #expect(nobody.code == 4 && nobody.error.contains("encrypted"), "\(nobody.error)")
        let wrong = try authctl.run(["login", "box", "--password-stdin"], input: "something else")
        #expect(wrong.code == 2 && wrong.error.contains("does not open"), "\(wrong.error)")
        #expect(httpd.accesses().isEmpty)
        let run = try authctl.onTerminal("login", "box", columns: 200)
        try run.answer("Passphrase of ", "wrong one\r").answer("Wrong passphrase.", Self.passphrase + "\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text)")
        #expect(try authctl.run("whoami").output == "ann\n")
        #expect(try authctl.run("login", "box").error.contains("Already logged in"))
        #expect(try authctl.run("token", "--header").code == 2)
        let again = try authctl.run(["login", "box", "--force", "--password-stdin"], input: Self.passphrase)
        #expect(again.code == 0, "\(again.error)")
    }

    @Test(arguments: [CertificateHttpd.Host.tls12, .tls13Late])
    func `a server that wants a client certificate goes with a password, and its passphrase is kept beside that`(
        host: CertificateHttpd.Host
    ) throws {
        let bob = try client("bob")
        let authctl = try installation(
            host, bob.certificate, encrypted(bob), method: "basic", verify: "/private/both/whoami.json")
        let run = try authctl.onTerminal("login", "box", columns: 200)
        try run.answer("Passphrase of ", Self.passphrase + "\r")
        try run.answer("User name: ", "ann\r").answer("Password: ", "correct horse\r")
        #expect(try run.end() == .exited(0), "\(run.pty.text) \(httpd.errors)")
        // Nobody is asked for either again.
        #expect(try authctl.run("whoami").output == "ann\n")
        #expect(try authctl.run("login", "box").error.contains("Already logged in"))
        #expect(try authctl.run("logout").code == 0)
        #expect(try authctl.run("whoami").code == 4)
    }

    @Test func `an endpoint that asks for none proves nothing`() throws {
        let ann = try client("ann")
        let nginx = try NginxServer([server], user: "ann", password: "x")
        let authctl = try Installation(
            config: """
                [profiles.box]
                url = "\(nginx.origin())"
                method = "certificate"
                ca-file = "\(server.certificate)"
                certificate = "\(ann.certificate)"
                key = "\(ann.key)"
                verify = { get = "/open.json" }
                """)
        let run = try authctl.run("login", "box")
        #expect(run.code == 2 && run.error.contains("accepts requests without credentials"), "\(run.error)")
    }

    @Test func `curl shows it with what an exec gives it, from an encrypted key and from PKCS#12`() throws {
        let ann = try client("ann")
        let files: [(String, String?)] = [
            (ann.certificate, ann.key), (ann.certificate, try encrypted(ann)), (try pkcs12(ann), nil),
        ]
        for (certificate, key) in files {
            let authctl = try installation(.tls13, certificate, key)
            let words = ["-P", "box", "--password-file", try authctl.file("passphrase", Self.passphrase + "\n")]
            let supplied = key == ann.key ? ["-P", "box"] : words
            let script = "curl -q -sS -K \"$AUTHCTL_CURL_CONFIG\" \"$AUTHCTL_ORIGIN/private/whoami.json\""
            let result = try authctl.run(["exec"] + supplied + ["--curl-config", "--", "sh", "-c", script])
            #expect(result.code == 0 && result.output.contains("ann"), "\(result.output)\(result.error)")
        }
    }
}
