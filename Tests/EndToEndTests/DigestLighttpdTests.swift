@testable import LoginTestSupport
import Testing

/// The binary against a real lighttpd, which has every algorithm of RFC 7616 and hashed user names.
@Suite(.onOwnThreads, RealServer.require("lighttpd"), RealServer.require("openssl"))
struct `At a real lighttpd with Digest` {
    @Test func `every algorithm lets right passwords in and no wrong ones, with hashed and UTF-8 names`() throws {
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

    @Test func `curl answers the challenge with what an exec gives it`() throws {
        let lighttpd = try LighttpdDigest(accounts: [("ann", "correct \"horse\\")])
        defer { lighttpd.stop() }
        let authctl = try Installation()
        let page = lighttpd.whoami("md5")
        try #require(
            try authctl.run("login", page, "-u", "ann", "--password-stdin", "--name", "box", input: "correct \"horse\\")
                .code == 0)
        let result = try authctl.run(
            "exec", "-P", "box", "--curl-config", "--", "sh", "-c",
            "curl -q -sS -o /dev/null -w '%{http_code}' -K \"$AUTHCTL_CURL_CONFIG\" \(page)")
        #expect(result.output == "200", "\(result.error)")
        let path = page.split(separator: "/", maxSplits: 2).last.map(String.init) ?? ""
        let served = try authctl.run(
            "exec", "-P", "box", "--serve", "--", "bash", "-c",
            "curl -q -sS -o /dev/null -w '%{http_code}' \"$(cut -d/ -f1-4 <<< $AUTHCTL_SERVE_URL)/\(path)\"")
        #expect(served.output == "200", "\(served.error)")
        let token = try authctl.run("exec", "-P", "box", "--env", "T", "--", "true")
        #expect(token.code == 102 && token.error.contains("--curl-config"))
    }
}
