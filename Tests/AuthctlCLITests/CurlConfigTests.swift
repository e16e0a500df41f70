import ArgumentParser
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

@testable import AuthctlCLI

/// What curl is told for the command of an `exec`.
struct CurlConfigTests {
    private func text(_ settings: String, _ variables: [String: String] = [:]) throws -> [String] {
        let profile =
            "[profiles.forge]\nurl = \"https://forge.example\"\nmethod = \"token\"\nverify = { get = \"/\" }\n"
        let world = try TestWorld(config: profile + settings)
        world.variables.merge(variables) { $1 }
        return try world.withWorld { world in
            let invocation = try Invocation(world, try GlobalOptions.parse([]))
            let run = try LoginRun(invocation.context, try invocation.context.selection.profile(nil), LoginRequest())
            let session = Session.token(Token(value: Secret("tok"), refreshToken: nil, expires: nil))
            let config = CurlConfig(
                run: run, session: session, attachment: try run.service.attachment(of: session, username: ""),
                cookieFile: nil)
            return try config.text().unprotectedText.split(separator: "\n").map(String.init)
        }
    }

    @Test func `curl takes the way that authctl takes, whatever its environment says of proxies`() throws {
        let direct = try text("proxy = \"none\"\n", ["https_proxy": "http://proxy.example:1"])
        #expect(direct.contains("noproxy = \"*\"") && !direct.contains { $0.hasPrefix("proxy = ") }, "\(direct)")
        let set = try text("proxy = \"http://proxy.example:3128\"\n", ["no_proxy": "*"])
        #expect(set.contains("proxy = \"http://proxy.example:3128\"") && set.contains("noproxy = \"\""), "\(set)")
        for setting in ["", "proxy = \"environment\"\n"] {
            let fromEnvironment = try text(setting)
            #expect(!fromEnvironment.contains { $0.contains("proxy") }, "\(fromEnvironment)")
        }
        let empty = try text("", ["AUTHCTL_PROXY": "none"])
        #expect(empty.contains("noproxy = \"*\""), "\(empty)")
    }

    @Test func `curl says the profile's user agent`() throws {
        #expect(try text("user-agent = \"Mozilla/5.0 (X)\"\n").contains("user-agent = \"Mozilla/5.0 (X)\""))
        #expect(try !text("").contains { $0.hasPrefix("user-agent") })
    }

    @Test func `an authority of its own holds for the proxy, too`() throws {
        let lines = try text("ca-file = \"/ca.pem\"\n")
        #expect(lines.contains("cacert = \"/ca.pem\"") && lines.contains("proxy-cacert = \"/ca.pem\""), "\(lines)")
    }
}
