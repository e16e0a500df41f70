import LoginTestSupport
import Testing

/// The binary against a real lighttpd, which has every algorithm of RFC 7616 and hashed user names.
@Suite(RealServer.require("lighttpd"), RealServer.require("openssl")) struct `At a real lighttpd with Digest` {
    @Test func `D4 D12 every algorithm lets right passwords in and no wrong ones, with hashed and UTF-8 names`() throws
    {
        let accounts = [("ann", "correct horse"), ("zoë müller", "pä:ss\"wörd\\")]
        let lighttpd = try LighttpdDigest(accounts: accounts)
        defer { lighttpd.stop() }
        let authctl = try Installation()
        for function in LighttpdDigest.algorithms.keys {
            for (user, password) in accounts {
                let login = ["login", lighttpd.whoami(function), "-u", user, "--password-stdin", "--force"]
                let right = try authctl.run(login, input: password)
                #expect(right.code == 0, "\(function) \(user): \(right.error)")
                #expect(try authctl.run(login, input: password + "x").code == 3)
            }
        }
    }
}
