import Foundation
@testable import LoginTestSupport
import Testing

/// Right and wrong passwords where the service says no in a way of its own: the binary against a real nginx with TLS, and behind it what
/// answers as Spring and Laravel do, which Debian does not have.
@Suite(.onOwnThreads, RealServer.require("nginx"), RealServer.require("openssl"))
struct `Behind a real nginx that is a gateway` {
    let sites: VerdictSites
    let authctl: Installation

    init() throws {
        let sites = try VerdictSites()
        self.sites = sites
        let profiles = ["spring", "laravel", "plain/spring", "plain/laravel", "hidden", "nginx", "desk", "counter"].map
        { name in
            let isForm = name.hasSuffix("spring") || name.hasSuffix("laravel")
            let form = "form = { username = '{username}', password = '{password}' }"
            return """
                [profiles.\(name.replacing("/", with: "-"))]
                url     = '\(sites.origin)/\(name)'
                ca-file = '\(sites.certificate)'
                method  = '\(isForm ? "cookie" : "basic")'
                verify  = { get = '/me', username = '/name' }
                \(isForm ? "login = { page = '/login', post = '/login', \(form) }" : "")

                """
        }
        authctl = try Installation(config: profiles.joined())
    }

    private func logIn(
        _ target: String, _ user: String = "ann", _ password: String = VerdictSites.password, _ more: String...,
        at authctl: Installation? = nil
    ) throws -> CommandResult {
        try (authctl ?? self.authctl).run(
            ["login", target, "-u", user, "--password-stdin"] + more, input: password,
            environment: target.contains("://") ? ["AUTHCTL_CA_FILE": sites.certificate] : [:])
    }

    private func expectLoggedIn(_ profile: String, _ comment: String = "") throws {
        let whoami = try authctl.run("whoami", profile)
        #expect(whoami.code == 0 && whoami.output == "ann\n", "\(comment) \(whoami.output)\(whoami.error)")
        #expect(try !String(contentsOfFile: authctl.registry, encoding: .utf8).contains(/"passwordRefused" ?: ?true/))
    }

    /// A wrong password, the right one, and a wrong one in its place.
    /// - Parameter first: the code of the first, where verify has not accepted anything yet.
    private func expectTold(_ profile: String, first: Int32) throws {
        let wrong = try logIn(profile, "ann", "wrong horse")
        #expect(wrong.code == first, "\(wrong.error)")
        #expect(try authctl.keptSecrets().isEmpty)
        let right = try logIn(profile)
        #expect(right.code == 0, "\(right.error)")
        #expect(try authctl.keptSecrets().count == 1)
        let again = try logIn(profile, "ann", "wrong horse", "--force")
        #expect(again.code == 3, "\(again.error)")
        #expect(try authctl.keptSecrets().count == 1)
        try expectLoggedIn(profile)
    }

    @Test(arguments: ["spring", "laravel"])
    func `a redirect back to the login refuses a password, also the first one`(framework: String) throws {
        try expectTold(framework, first: 3)
    }

    @Test(arguments: ["plain-spring", "plain-laravel"])
    func `where redirects lead to http, a first wrong password is undecided, and a later one refused`(
        framework: String
    ) throws {
        try expectTold(framework, first: 2)
    }

    @Test(arguments: ["spring", "laravel"], [true, false])
    func `a URL of a login page tells a right password from one that leads back to it`(
        framework: String, isRight: Bool
    ) throws {
        let authctl = try Installation()
        let run = try authctl.onTerminal(
            "login", "\(sites.origin)/\(framework)/login", "-u", "ann", "--max-attempts", "1",
            environment: ["AUTHCTL_CA_FILE": sites.certificate])
        try run.answer("Log in with it? [yes/no/details] ", "yes\r")
        try run.answer("Password for ann: ", (isRight ? VerdictSites.password : "wrong horse") + "\r")
        #expect(try run.end() == .exited(isRight ? 0 : 3), "\(run.said)")
        #expect(try authctl.keptSecrets().isEmpty != isRight)
    }

    @Test(arguments: ["hidden", "nginx"])
    func `a service that hides with 404 has refused nobody before it has accepted somebody`(service: String) throws {
        let byURL = try logIn("\(sites.origin)/\(service)/me", "ann", "wrong horse", at: Installation())
        #expect(![0, 3].contains(byURL.code), "\(byURL.error)")
        try expectTold(service, first: 2)
    }

    @Test func `a service that hides from everybody for a while costs no login`() throws {
        #expect(try logIn("hidden").code == 0)
        let kept = try authctl.keptSecrets()
        try sites.close(true)
        for command in ["whoami", "status"] { #expect(try authctl.run(command, "hidden").code == 4) }
        try sites.close(false)
        #expect(try authctl.keptSecrets() == kept)
        try expectLoggedIn("hidden")
    }

    @Test(arguments: ["desk", "counter"])
    func `the gateway refuses a password, and the service behind it has not judged one that the gateway takes`(
        service: String
    ) throws {
        for isByURL in [false, true] {
            let target = isByURL ? "\(sites.origin)/\(service)/me" : service
            let authctl = isByURL ? try Installation() : self.authctl
            let wrong = try logIn(target, "ann", "wrong horse", at: authctl)
            #expect(wrong.code == 3, "\(wrong.error)")
            let other = try logIn(target, "bob", VerdictSites.guest, at: authctl)
            #expect(other.code == 2 && other.error.contains("the gateway"), "\(other.error)")
            #expect(other.error.contains("the desk") == (service == "desk"), "\(other.error)")
            #expect(try authctl.keptSecrets().isEmpty)
            let right = try logIn(target, at: authctl)
            #expect(right.code == 0, "\(right.error)")
        }
        let kept = try authctl.keptSecrets()
        try sites.close(true)
        let whoami = try authctl.run("whoami", service)
        #expect(whoami.code == 4 && whoami.error.contains("the gateway"), "\(whoami.error)")
        #expect(whoami.error.contains("the desk") == (service == "desk"), "\(whoami.error)")
        try sites.close(false)
        #expect(try authctl.keptSecrets() == kept)
        try expectLoggedIn(service)
    }

    @Test(arguments: [403, 503])
    func `a gateway that answers everybody for a while costs no login`(status: Int) throws {
        let services = ["desk", "nginx", "spring", "laravel"]
        for service in services { #expect(try logIn(service).code == 0) }
        let kept = try authctl.keptSecrets()
        try sites.gate(status)
        let code: Int32 = status == 403 ? 4 : 12
        for service in services {
            for command in ["whoami", "status"] {
                let run = try authctl.run(command, service)
                #expect(run.code == code, "\(service) \(command): \(run.error)")
            }
            let request = try authctl.run("request", "-P", service, "\(sites.origin)/\(service)/me")
            #expect(request.code == code || status == 403 && request.code == 10, "\(service): \(request.error)")
            for password in [VerdictSites.password, "wrong horse"] {
                let login = try logIn(service, "ann", password, "--force")
                #expect(![0, 3].contains(login.code), "\(service): \(login.error)")
            }
        }
        try sites.gate(nil)
        #expect(try authctl.keptSecrets() == kept)
        for service in services {
            try expectLoggedIn(service, service)
            let request = try authctl.run("request", "-P", service, "\(sites.origin)/\(service)/me")
            #expect(request.code == 0 && request.output.contains("ann"), "\(service): \(request.error)")
        }
    }
}

/// The binary against Debian's Django REST framework, whose first way to log in is a session: then it answers 403, and no challenge, to
/// nobody and to a wrong password alike.
@Suite(.onOwnThreads, RealServer.requirePython("rest_framework"))
struct `At a real Django REST framework that answers 403 to anybody` {
    let server: RestServer
    let authctl: Installation

    init() throws {
        server = try RestServer(password: VerdictSites.password)
        let form = "form = { username = '{username}', password = '{password}' }"
        authctl = try Installation(
            config: """
                [profiles.basic]
                url     = '\(server.origin)'
                method  = 'basic'
                verify  = { get = '/api/me/', username = '/username' }
                [profiles.session]
                url     = '\(server.origin)'
                method  = 'cookie'
                login   = { page = '/api-auth/login/', post = '/api-auth/login/', \(form) }
                verify  = { get = '/api/me/', username = '/username' }

                """)
    }

    private func logIn(
        _ target: String, _ password: String = VerdictSites.password, _ more: String...
    ) throws -> CommandResult {
        try authctl.run(["login", target, "-u", "ann", "--password-stdin"] + more, input: password)
    }

    @Test(arguments: [("basic", 2), ("session", 3)] as [(String, Int32)])
    func `a wrong password is refused by the form, or once it is known what a login gets`(
        profile: String, first: Int32
    ) throws {
        let wrong = try logIn(profile, "wrong horse")
        #expect(wrong.code == first, "\(wrong.error)")
        #expect(try authctl.keptSecrets().isEmpty)
        let right = try logIn(profile)
        #expect(right.code == 0, "\(right.error)")
        let again = try logIn(profile, "wrong horse", "--force")
        #expect(again.code == 3, "\(again.error)")
        #expect(try authctl.keptSecrets().count == 1)
        #expect(try authctl.run("whoami", profile).output == "ann\n")
    }

    @Test func `by its URL no password is accepted or refused, since nothing asks for one`() throws {
        for password in [VerdictSites.password, "wrong horse"] {
            let login = try logIn(server.origin + "/api/me/", password)
            #expect(![0, 3].contains(login.code), "\(login.error)")
        }
        #expect(try authctl.keptSecrets().isEmpty)
    }

    @Test func `a session that has ended there looks as if nobody ever had one, and is kept`() throws {
        #expect(try logIn("session").code == 0)
        let kept = try authctl.keptSecrets()
        try server.endSessions()
        for _ in 0..<2 {
            let whoami = try authctl.run("whoami", "session")
            #expect(whoami.code == 4 && whoami.error.contains("403"), "\(whoami.error)")
        }
        #expect(try authctl.keptSecrets() == kept)
        #expect(try logIn("session").code == 0)
        #expect(try authctl.run("whoami", "session").output == "ann\n")
    }
}
