@testable import LoginKit
import Foundation
@testable import LoginTestSupport
import Testing

/// Which browser is started, and how.
@Suite(.onOwnThreads) struct BrowserStartTests {
    private let home: TemporaryHome
    private let url = "https://id.example/authorize?a=$(touch%20x)&b=;id|x*~#f"

    init() throws {
        home = try TemporaryHome()
    }

    /// A browser that writes down how it was called.
    private func browser(_ name: String = "browser", then more: String = "") throws -> String {
        try home.write(
            """
            #!/bin/sh
            for word in "$@"; do printf '%s\\n' "$word"; done > '\(home.path)/\(name).words'
            env > '\(home.path)/\(name).env'
            at=$(readlink /proc/$$/fd/0 /proc/$$/fd/1 /proc/$$/fd/2); echo "$at" > '\(home.path)/\(name).files'
            echo $$ > '\(home.path)/\(name).pid'
            (tty; cut -d' ' -f6 /proc/$$/stat) > '\(home.path)/\(name).place' 2>&1
            : > '\(home.path)/\(name).done'
            \(more)
            """, to: "bin/\(name)", mode: 0o755)
    }

    private func start(
        _ configured: [String]? = nil, _ more: [String: String] = [:], isRoot: Bool = false, patience: Double = 60
    ) -> BrowserStart {
        let environment = home.environment.merging(more) { $1 }
        return BrowserStart(
            configured: configured, environment: ProgramEnvironment(environment), isRoot: isRoot,
            patience: .seconds(patience))
    }

    /// The words of the last call, once all of it is written down.
    private func words(_ name: String = "browser") throws -> [String] {
        #expect(eventually { unlink("\(home.path)/\(name).done") == 0 })
        return try home.read("\(name).words").split(separator: "\n").map(String.init)
    }

    /// Ends a browser that would go on.
    private func end(_ program: String) throws {
        let file = URL(fileURLWithPath: program).lastPathComponent + ".pid"
        #expect(eventually { (try? home.read(file).hasSuffix("\n")) == true })
        kill(try #require(Int32(try home.read(file).dropLast())), SIGKILL)
        try FileManager.default.removeItem(atPath: home.path + "/" + file)
    }

    @Test func `the URL is one word, whatever a shell would make of it`() throws {
        let program = try browser()
        #expect(start([program, "-P", "a b"]).open(url) == .started)
        #expect(try words() == ["-P", "a b", url])
        #expect(start([program, "--app=%s", "x"]).open(url) == .started)
        #expect(try words() == ["--app=\(url)", "x"])
        #expect(!home.files.contains("x"))
    }

    @Test(arguments: [
        "-https://id.example/", "--help", "http://id.example/", "file:///etc/passwd", "javascript:alert(1)",
        "HTTPS://id.example",
        "https://id.example/\"", "https://id.example/'", "https://id.example/`id`", "https://id.example/ x",
        "https://id.example/\n-x", "https://id.example/\u{1B}[31m", "https://id.example/\u{E9}",
        "https://id.example/\\",
        "http://127.0.0.1.evil.example/", "http://127.0.0.1@evil.example/", "http://127.0.0.1:80@evil.example/",
        "http://localhost.evil.example/", "http://[::1]evil/", "http:///x", "",
    ]) func `what is no safe URL is not opened`(unsafe: String) throws {
        let program = try browser()
        #expect(start([program]).open(unsafe) == .noBrowser)
        #expect(!home.files.contains("browser.words"))
    }

    @Test func `http is opened on this machine, and where the profile allows it`() {
        for url in ["http://127.0.0.1:8080/a", "http://[::1]/a", "http://localhost?x", "http://localhost:80"] {
            #expect(BrowserStart.isSafe(url))
        }
        let plain = Origin(scheme: "http", host: "id.example", port: 8080)
        #expect(BrowserStart.isSafe("http://id.example:8080/a", plainOrigin: plain))
        #expect(!BrowserStart.isSafe("http://id.example:80801/a", plainOrigin: plain))
        #expect(!BrowserStart.isSafe("http://id.example/a", plainOrigin: plain))
    }

    @Test func `BROWSER has alternatives, words and a place, and no shell`() throws {
        let first = try browser("a", then: "exit 3"), second = try browser("c")
        let named = ["BROWSER": "\(first) b:$(touch x):\(second) '%s' --new:never"]
        #expect(start(nil, named).open(url) == .started)
        #expect(try words("a") == ["b", url])
        #expect(try words("c") == [url, "--new"])
        #expect(!home.files.contains("x"))
    }

    @Test func `what could not be started is told, each with its reason`() throws {
        let bad = try browser(then: "exit 3")
        #expect(
            start(nil, ["BROWSER": "/nowhere/x:\(bad)"]).open(url)
                == .failed([
                    BrowserStart.Failure(program: "/nowhere/x", words: "not found"),
                    BrowserStart.Failure(program: bad, words: "status 3"),
                ]))
        #expect(start(nil, ["BROWSER": " : "]).open(url) == .noBrowser)
    }

    @Test func `a browser has no terminal, no output and none of our variables`() throws {
        let program = try browser()
        let more = ["AUTHCTL_PROFILE": "x", "AUTHCTL_PASSWORD": "Zx9canaryQ7", "MORE": "kept"]
        #expect(start([program], more).open(url) == .started)
        _ = try words()
        let lines = try home.read("browser.place").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        #expect(lines.first == "not a tty")
        #expect(Int(lines.last ?? "") != Int(getsid(0)))
        let files = try home.read("browser.files")
        #expect(files == String(repeating: "/dev/null\n", count: 3), "\(files)")
        let environment = try home.read("browser.env")
        #expect(
            !environment.contains("AUTHCTL_") && !environment.contains("canary") && environment.contains("MORE=kept"))
    }

    @Test func `a browser that floods or never ends keeps nobody waiting`() throws {
        let endless = try browser("endless", then: "exec sleep 30"), flood = try browser("flood", then: "exec yes")
        for program in [endless, flood] {
            let begin = Date()
            #expect(start([program], patience: 0.5).open(url) == .started)
            #expect((0.4..<15).contains(Date().timeIntervalSince(begin)))
            try end(program)
            let early = Date()
            #expect(start([program], patience: 25).open(url) { true } == .started)
            #expect(Date().timeIntervalSince(early) < 15)
            try end(program)
        }
    }

    @Test func `a browser is started only where somebody sees it`() throws {
        let ssh = ["SSH_CONNECTION": "192.0.2.1 5 192.0.2.7 22"]
        #expect(!start().canStart)
        #expect(start().open(url) == .noBrowser)
        #expect(start(nil, ["DISPLAY": ":0"]).canStart)
        #expect(start(nil, ["WAYLAND_DISPLAY": "wayland-0"]).canStart)
        #expect(!start(nil, ["DISPLAY": ":0"].merging(ssh) { $1 }).canStart)
        #expect(!start(nil, ["DISPLAY": "", "BROWSER": ""]).canStart)
        #expect(start(nil, ["BROWSER": "w3m"].merging(ssh) { $1 }).canStart)
        #expect(start(["w3m"], ssh).canStart)
    }

    @Test func `xdg-open is started with a screen alone`() throws {
        _ = try browser("xdg-open")
        let path = ["PATH": home.path + "/bin:/usr/bin:/bin"]
        // It is looked for in this process's own PATH, so that of the child does not matter here.
        #expect(start(nil, path).open(url) == .noBrowser)
        #expect(!home.files.contains("xdg-open.words"))
    }

    @Test func `root starts no browser for another user`() throws {
        let program = try browser()
        for user in ["ann", "root", ""] {
            let start = start([program], ["SUDO_USER": user], isRoot: true)
            #expect(start.canStart == (user != "ann"))
            #expect(start.open(url) == (user == "ann" ? .noBrowser : .started))
        }
        #expect(self.start([program], ["SUDO_USER": "ann"]).canStart)
    }
}
