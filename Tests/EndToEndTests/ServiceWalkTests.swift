import Foundation
@testable import LoginTestSupport
import Testing

/// The contract's profiles, walked from login to logout by the binary.
@Suite(.onOwnThreads) struct `Each kind of service` {
    /// A profile with what a login of it needs, and what follows.
    struct Walk: Sendable, CustomTestStringConvertible {
        let profile: String
        var user: String? = "ann"
        var secret = "correct horse"
        var name = "ann"
        /// What the requests with the session carry.
        let proof: String
        var hasToken = true
        /// What the header line begins with.
        let header: String

        var testDescription: String { profile }
    }

    static let walks = [
        Walk(profile: "wire", proof: "basic", hasToken: false, header: "Authorization: Basic "),
        Walk(profile: "blog", proof: "cookie", hasToken: false, header: "Cookie: "),
        Walk(profile: "screencast", proof: "auth_token", header: "auth_token: "),
        Walk(
            profile: "forge", user: nil, secret: "demo-pat-ann-7f3a9c", proof: "private-token",
            header: "PRIVATE-TOKEN: "),
        Walk(profile: "admin", proof: "cookie", hasToken: false, header: "Cookie: "),
        Walk(profile: "chat", name: "@ann:demo.invalid", proof: "bearer", header: "Authorization: Bearer "),
        Walk(profile: "index", proof: "basic", header: "Authorization: Basic "),
    ]

    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    @Test(arguments: walks) func `each kind of service is logged in to, asked, and logged out of`(_ walk: Walk) throws {
        let user = walk.user.map { ["-u", $0] } ?? []
        let login = try authctl.run(["login", walk.profile, "--password-stdin"] + user, input: walk.secret + "\n")
        #expect(login.code == 0, "\(login.error)")
        #expect(login.output.isEmpty)
        let typed = walk.user.map {
            $0.lowercased() == walk.name.lowercased() ? "" : "authctl: you typed \($0); the service says \(walk.name)\n"
        }
        #expect(
            login.error == "\(typed ?? "")Logged in to \(walk.profile) (\(demo.origin)) as \(walk.name).\n")
        #expect(try authctl.run("whoami", walk.profile).output == walk.name + "\n")
        #expect(try demo.requests().last?.carried == [walk.proof])
        #expect(try authctl.run("whoami", walk.profile, "--offline").output == walk.name + "\n")
        let again = try authctl.run("login", walk.profile)
        #expect(again.code == 0)
        #expect(again.error.hasPrefix("Already logged in to \(walk.profile) "))
        try expectToken(walk)
        let logout = try authctl.run("logout", walk.profile)
        #expect(logout.code == 0)
        #expect(logout.output.isEmpty)
        #expect(logout.error.hasPrefix("Logged out "))
        #expect(try authctl.run("whoami", walk.profile).code == 4)
        #expect(try authctl.run("logout", walk.profile).code == 0)
        #expect(try authctl.run("profile", "list").output.contains("\n\(walk.profile) ") || walk.profile == "blog")
    }

    private func expectToken(_ walk: Walk) throws {
        let token = try authctl.run("token", walk.profile)
        #expect(token.code == (walk.hasToken ? 0 : 2))
        #expect(walk.hasToken == token.output.hasSuffix("\n"))
        let header = try authctl.run("token", "--header", walk.profile)
        #expect(header.code == 0)
        #expect(header.output.hasPrefix(walk.header))
        // The admin's session is cookies and a header for what writes.
        #expect(header.output.filter { $0 == "\n" }.count == (walk.profile == "admin" ? 2 : 1))
        // The line is what curl has to send to be let in.
        let line = try authctl.file("header", header.output)
        let path =
            switch walk.profile {
            case "wire": "/account/verify_credentials.json"
            case "blog": "/users/me"
            case "screencast": "/home/index.json"
            case "admin": "/api/me/"
            case "forge": "/api/v4/user"
            case "chat": "/_matrix/client/v3/account/whoami"
            default: "/+api"
            }
        #expect(try Curl("-H", "@\(line)", demo.origin + path).status == 200)
        #expect(try demo.requests().last?.who == "ann")
    }

    @Test(arguments: walks) func `each kind of service keeps no password but where the password is the session`(
        _ walk: Walk
    ) throws {
        let user = walk.user.map { ["-u", $0] } ?? []
        try authctl.run(["login", walk.profile, "--password-stdin"] + user, input: walk.secret + "\n")
        let kept = try authctl.keptSecrets()
        #expect(kept.count == 1)
        let hits = try LeakSweep(secrets: [walk.secret]).hits(in: kept.reduce(Data(), +), place: "store")
        #expect(hits.isEmpty == ["blog", "screencast", "admin", "chat", "index"].contains(walk.profile))
    }

    @Test(arguments: [
        ("bob", "pä:ss%wörd&+\"\\ünïcode"), ("zoë müller@wire", "  blank ends "),
    ]) func `each kind of service takes names and passwords of every kind`(user: String, password: String) throws {
        for profile in ["wire", "blog", "screencast", "admin", "index"] {
            try authctl.logIn(profile, user, password)
            #expect(try authctl.run("whoami", profile).output == user + "\n")
        }
    }

    @Test func `each kind of service takes an empty password only with --blank-password`() throws {
        let refused = try authctl.run("login", "wire", "-u", "guest", "--password-stdin", input: "\n")
        #expect(refused.code == 2)
        #expect(refused.error.contains("--blank-password"))
        #expect(try demo.requests().isEmpty)
        let login = ["login", "wire", "-u", "guest", "--password-stdin", "--blank-password"]
        #expect(try authctl.run(login, input: "\n").code == 0)
        #expect(try authctl.run("whoami", "wire").output == "guest\n")
    }

    @Test(arguments: walks) func `a locked account is forbidden in every service`(_ walk: Walk) throws {
        let user = walk.user == nil ? [] : ["-u", "locked"]
        let secret = walk.user == nil ? "demo-pat-locked-7f3a9c" : "locked door"
        let run = try authctl.run(["login", walk.profile, "--password-stdin"] + user, input: secret + "\n")
        #expect(run.code == 10, "\(run.error)")
        #expect(run.error.contains("this account is locked") && !run.error.contains("'login'"), "\(run.error)")
    }

    @Test(arguments: walks) func `a suspended account is forbidden, but where anonymous clients get the same`(
        _ walk: Walk
    ) throws {
        let user = walk.user == nil ? [] : ["-u", "forbidden"]
        let secret = walk.user == nil ? "demo-pat-forbidden-7f3a9c" : "forbidden fruit"
        let run = try authctl.run(["login", walk.profile, "--password-stdin"] + user, input: secret + "\n")
        #expect(run.code == (walk.profile == "blog" ? 2 : 10), "\(run.error)")
        if walk.profile == "blog" { #expect(run.error.contains("the server says \"This account is suspended\"")) }
    }
}
