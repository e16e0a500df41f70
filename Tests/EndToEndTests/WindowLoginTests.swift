import Foundation
@testable import LoginTestSupport
import Testing

/// Logins in a window of Debian's Chromium, at sites behind single sign-on.
@Suite(.onOwnThreads, Thoroughness.isNeeded, RealServer.require("chromium"))
struct `A login in a browser's window` {
    /// Root has no sandbox, and there is no screen.
    private static let browser = "chromium --no-sandbox --headless=new --disable-gpu --disable-dev-shm-usage"
    private let sites: SingleSignOn
    private let authctl: Installation

    init() throws {
        sites = try SingleSignOn(isAutomatic: true)
        authctl = try Installation(config: SingleSignOn.Site.allCases.map { [sites] in sites.profile($0) }.joined())
    }

    private func logIn(_ site: SingleSignOn.Site, _ more: String...) throws -> CommandResult {
        try authctl.run(["login", "\(site)", "--browser", Self.browser] + more, within: 120)
    }

    /// The folders of windows that are still there.
    private var left: [String] {
        let found = try? FileManager.default.contentsOfDirectory(atPath: authctl.state + "/run")
        return (found ?? []).filter { $0.hasPrefix("browser-") }
    }

    @Test func `a login in a browser's window is used, ended, made again and logged out`() throws {
        let login = try logIn(.wiki)
        #expect(login.code == 0 && login.error.contains("as ann"), "\(login.error)")
        #expect(try authctl.run("whoami", "wiki").output == "ann\n")
        let write = try authctl.run("request", "POST", "/notes", "-P", "wiki", "-d", "hello")
        #expect(write.code == 0 && write.output.contains("hello"), "\(write.error)")
        let logout = try authctl.run("logout", "wiki")
        #expect(logout.code == 0 && logout.error.contains("at the provider"), "\(logout.error)")
        #expect(try authctl.run("whoami", "wiki").code == 4)
        #expect(try logIn(.wiki).code == 0)
        #expect(left.isEmpty)
    }

    @Test func `a login in a browser's window takes no cookie that verify would not be sent`() throws {
        #expect(try logIn(.wiki).code == 0)
        let verified = try #require(try sites.seen().last { $0.path == "/api/me" && $0.agent == "authctl/1" })
        let names = (verified.cookies ?? "").split(separator: ";").compactMap {
            $0.split(separator: "=").first?.trimmingCharacters(in: .whitespaces)
        }
        #expect(Set(names) == ["sid", "theme"], "\(names)")
        // Nothing of it went to the provider.
        #expect(try sites.seen().allSatisfy { $0.host != "id.localhost" || $0.agent != "authctl/1" })
    }

    @Test func `a window is asked for the cookies of verify's URL alone, and for nothing else that a page has`() throws
    {
        let log = authctl.folder + "/channel"
        let recorder = "python3 \(Repository.testServer("recording_browser.py")) \(log) \(Self.browser)"
        let login = try authctl.run(["login", "wiki", "--browser", recorder], within: 120)
        #expect(login.code == 0, "\(login.error)")
        let messages = try Data(contentsOf: URL(filePath: log)).split(separator: 0).map {
            try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any] ?? [:]
        }
        #expect(
            Set(messages.compactMap { $0["method"] as? String }) == [
                "Browser.getVersion", "Target.setDiscoverTargets", "Target.attachToTarget", "Network.getCookies",
                "Browser.close",
            ])
        let urls = messages.filter { $0["method"] as? String == "Network.getCookies" }.map {
            ($0["params"] as? [String: [String]])?["urls"] ?? []
        }
        #expect(!urls.isEmpty && urls.allSatisfy { $0.count == 1 && $0[0].hasSuffix("/api/me") }, "\(urls)")
    }

    @Test func `a site that keeps the id of its session at the login is logged in to in a window`() throws {
        let login = try logIn(.keep)
        #expect(login.code == 0, "\(login.error)")
        #expect(try authctl.run("whoami", "keep").code == 0)
    }

    @Test func `a session that counts some time after the login in a window is waited for`() throws {
        let login = try logIn(.slow)
        #expect(login.code == 0, "\(login.error)")
    }

    @Test func `cookies of a domain above the host are not kept unless the profile says so`() throws {
        let refused = try logIn(.parent)
        #expect(refused.code == 7 && refused.error.contains("corp.localhost"), "\(refused.error)")
        #expect(try authctl.run("whoami", "parent").code == 4)
        let other = try Installation(config: sites.profile(.parent, "parent-cookies = true"))
        let login = try other.run(["login", "parent", "--browser", Self.browser], within: 120)
        #expect(login.code == 0, "\(login.error)")
        #expect(try other.run("whoami", "parent").output == "ann\n")
    }

    @Test func `a login in a window that is not made in time ends with 13, one without permission with 10`() throws {
        let waiting = try SingleSignOn(isAutomatic: false)
        let other = try Installation(config: waiting.profile(.wiki))
        let late = try other.run(["login", "wiki", "--browser", Self.browser, "--prompt-timeout", "4"], within: 120)
        #expect(late.code == 13, "\(late.error)")
        let forbidden = try logIn(.forbidden, "--prompt-timeout", "12")
        #expect(forbidden.code == 10, "\(forbidden.error)")
        #expect(left.isEmpty)
    }

    @Test(arguments: ["/bin/false", "sh -c 'sleep 20'", "/no/such/browser"])
    func `a program that is no browser ends the login in a window with 1, and --paste is named`(_ program: String)
        throws
    {
        let run = try authctl.run(["login", "wiki", "--browser", program + " --headless"], within: 60)
        #expect(run.code == 1 && run.error.contains("login wiki --paste"), "\(run.error)")
        #expect(left.isEmpty)
    }

    @Test func `a header that pages of scripts send is the session, and the browser's own name is kept beside one`()
        throws
    {
        let config = sites.profile(.token, "login = { page = \"/\", take-header = \"Authorization\" }")
        let other = try Installation(config: config)
        let login = try other.run(["login", "token", "--browser", Self.browser], within: 120)
        #expect(login.code == 0, "\(login.error)")
        #expect(try other.run("whoami", "token").output == "ann\n")
        let bound = try logIn(.agent)
        #expect(bound.code == 0, "\(bound.error)")
        #expect(try authctl.run("request", "/api/me", "-P", "agent").code == 0)
        let served = try authctl.run(
            "exec", "-P", "agent", "--serve", "--", "sh", "-c", "curl -s \"$AUTHCTL_SERVE_URL\"api/me")
        #expect(served.output.contains("ann"), "\(served.output)\(served.error)")
    }

    @Test func `a page of the service reads at the address of an exec with --read-only, and does not write`() throws {
        #expect(try logIn(.wiki).code == 0)
        let script =
            "chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --user-data-dir=\"$PWD/pages\" "
            + "--virtual-time-budget=3000 --dump-dom \"$AUTHCTL_SERVE_URL\"page 2>/dev/null; rm -rf pages"
        let run = try authctl.run(
            ["exec", "-P", "wiki", "--serve", "--read-only", "--", "sh", "-c", script], within: 120)
        #expect(run.output.contains("GET 200") && run.output.contains("POST 403"), "\(run.output)\(run.error)")
    }

    /// Processes of the browser of this installation.
    private var processes: Int {
        get throws {
            let found = try Command.tool("pgrep", ["-f", "--", "--user-data-dir=" + authctl.state])
            return found.output.split(separator: "\n").count
        }
    }

    @Test func `Ctrl-C closes the window, ends the browser and leaves nothing of it`() throws {
        let waiting = try SingleSignOn(isAutomatic: false)
        try authctl.home.write("store = \"plaintext\"\n" + waiting.profile(.wiki), to: "config/authctl/config.toml")
        let run = try authctl.onTerminal("login", "wiki", "--browser", Self.browser)
        try run.pty.wait(for: "Waiting for you to log in: 4:5")
        #expect(try processes > 0 && left.count == 1)
        // The channel is of no use to another process of this user.
        let opened = try Command.tool(
            "bash",
            [
                "-c", "for end in /proc/$(pgrep -fo -- \"$1\")/fd/{3,4}; do (exec 9<>$end) 2>&1; done", "bash",
                "--user-data-dir=" + authctl.state,
            ])
        #expect(opened.output.components(separatedBy: "No such device or address").count == 3, "\(opened.output)")
        run.pty.type("\u{3}")
        #expect(try run.end() == .signalled(SIGINT))
        #expect(left.isEmpty && run.pty.echoes)
        #expect(eventually(within: 20) { (try? processes) == 0 })
    }

    @Test func `what a killed login leaves of a window is closed at once, and removed by the next`() throws {
        let waiting = try SingleSignOn(isAutomatic: false)
        try authctl.home.write(
            "store = \"plaintext\"\n" + waiting.profile(.wiki) + sites.profile(.keep), to: "config/authctl/config.toml")
        let run = try authctl.onTerminal("login", "wiki", "--browser", Self.browser)
        try run.pty.wait(for: "Waiting for you to log in: 4:5")
        run.pty.child.send(signal: SIGKILL)
        #expect(try run.end() == .signalled(SIGKILL))
        #expect(eventually(within: 20) { (try? processes) == 0 })
        #expect(left.count == 1)
        let next = try logIn(.keep)
        #expect(next.code == 0, "\(next.error)")
        #expect(left.isEmpty)
    }
}
