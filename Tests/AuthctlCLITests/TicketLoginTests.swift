@testable import LoginKit
@testable import LoginTestSupport
import Testing

@testable import AuthctlCLI

/// Logging in with a Kerberos ticket, as a command sees it. The tickets are scripted; real ones are in the end-to-end
/// tests.
struct TicketLoginTests {
    private static let ann = TicketCache(find: { .valid(principal: "ann@REALM") }, request: { _ in })
    private static let config = """
        [profiles.intranet]
        url = "https://intranet.example"
        verify = { get = "/me" }

        """
    private let both = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Negotiate, Basic realm=\"b\""])
    private let basic = HTTPResponse.answer(401, headers: ["WWW-Authenticate: Basic realm=\"b\""])

    @Test func `with auto and nobody to ask, a ticket that is there is used`() throws {
        let world = try TestWorld(config: Self.config)
        world.tickets = Self.ann
        let run = world.run("login", "intranet", server: [both, .answer(200)])
        #expect(run.code == 0, "\(run.talk)")
        #expect(run.talk.contains("as ann@REALM."))
        #expect(world.requests.map { $0.contains("negotiate") } == [false, true])
    }

    @Test func `without one, or where it is not wanted, it is 4, and without one nothing is sent`() throws {
        let world = try TestWorld(config: Self.config)
        #expect(world.run("login", "intranet").code == 4)
        #expect(world.requests.isEmpty)
        world.tickets = Self.ann
        let run = world.run("login", "intranet", server: [basic])
        #expect(run.code == 4)
        #expect(run.talk.contains("missing: password"))
    }

    @Test func `-u names another: the ticket is not used`() throws {
        let world = try TestWorld(config: Self.config)
        world.tickets = Self.ann
        let run = world.run("login", "intranet", "-u", "bob", server: [both])
        #expect(run.code == 4)
        #expect(world.requests.count == 1 && !world.requests[0].contains("negotiate"))
        let only = world.run("login", "intranet", "-u", "bob", "--method", "negotiate")
        #expect(only.code == 4)
        #expect(only.talk.contains("kinit bob"))
    }

    @Test func `--method basic leaves the ticket alone`() throws {
        let world = try TestWorld(config: Self.config)
        world.tickets = Self.ann
        let run = world.run("login", "intranet", "--method", "basic")
        #expect(run.code == 4)
        #expect(world.requests.isEmpty)
    }

    @Test(arguments: AuthenticationMethod.allCases.filter { HTTPScheme($0) == nil && $0 != .auto })
    func `--method chooses only schemes of HTTP authentication for a profile with auto`(
        method: AuthenticationMethod
    ) throws {
        let world = try TestWorld(config: Self.config)
        let run = world.run("login", "intranet", "--method", method.rawValue)
        #expect(run.code == 2 && run.talk.contains("the profile accepts auto"), "\(run.talk)")
        #expect(world.requests.isEmpty)
    }

    @Test func `no other command logs in by itself`() throws {
        let world = try TestWorld(config: Self.config)
        world.tickets = Self.ann
        for command in ["whoami", "token", "status"] { #expect(world.run(command).code == 4) }
        #expect(world.requests.isEmpty)
    }
}
