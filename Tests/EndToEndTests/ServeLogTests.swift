import Foundation
@testable import LoginTestSupport
import Testing

/// The log of an `exec --serve`: no request without its line, and no line cut, whatever happens.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette")) struct `The log of a served address` {
    let service: StreamServer
    let authctl: Installation

    init() throws {
        service = try StreamServer()
        authctl = try Installation(config: service.profile + "\n[profiles.stream.serve]\nlog = true\n")
        try authctl.logIn("stream")
    }

    private var own: String { authctl.state + "/serve/stream.jsonl" }

    private func serve(_ script: String, _ options: String..., within: Double = 120) throws -> CommandResult {
        try authctl.run(
            ["exec", "-P", "stream", "--serve"] + options + ["--", "bash", "-c", script], within: within)
    }

    private static let curl = "curl -q -sS"

    private func lines(_ path: String) throws -> [[String: Any]] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map { line in
            let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(value as? [String: Any])
        }
    }

    @Test func `a request has a line before it and one after it, without values, headers and bodies`() throws {
        let file = authctl.folder + "/a.jsonl"
        let result = try serve(
            """
            \(Self.curl) -d 'a body' -H 'X-Header: of mine' "$AUTHCTL_SERVE_URL"'echo?page=7&sort'
            \(Self.curl) -o /dev/null "$AUTHCTL_SERVE_URL"nowhere
            \(Self.curl) -o /dev/null -X DELETE "$AUTHCTL_SERVE_URL"echo
            """, "--log", file, "--allow", "GET,POST /**")
        #expect(result.code == 0, "\(result.error)")
        let all = try lines(file), begun = all.filter { $0["method"] != nil }
        #expect(begun.map { $0["method"] as? String } == ["POST", "GET", "DELETE"])
        #expect(begun.map { $0["decision"] as? String } == ["allowed", "allowed", "refused"])
        #expect(begun[0]["path"] as? String == "/v1/echo" && begun[0]["query"] as? [String] == ["page", "***"])
        #expect(begun[0]["profile"] as? String == "stream" && begun[0]["account"] as? String == "ann")
        #expect(begun[0]["rule"] as? String == "GET,POST /**")
        let ended = all.filter { $0["method"] == nil }
        #expect(ended.prefix(2).map { $0["status"] as? Int } == [200, 404])
        #expect(ended[0]["sent"] as? Int == 6 && ended[0]["ms"] is Int)
        let text = try String(contentsOfFile: file, encoding: .utf8)
        #expect(!text.contains("a body") && !text.contains("of mine") && !text.contains("=7"))
        let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(!FileManager.default.fileExists(atPath: own), "the option takes the place of the profile's")
    }

    @Test func `fifty requests at a time all have their lines, which authctl log shows`() throws {
        let result = try serve(
            "seq 500 | xargs -P 50 -I{} \(Self.curl) -o /dev/null \"$AUTHCTL_SERVE_URL\"'echo?n={}'", within: 300)
        #expect(result.code == 0, "\(result.error)")
        let all = try lines(own)
        let begun = all.filter { $0["method"] != nil }.compactMap { $0["id"] as? String }
        let ended = all.filter { $0["ms"] != nil }.compactMap { $0["id"] as? String }
        #expect(begun.count == 500 && Set(begun).count == 500 && Set(ended) == Set(begun) && ended.count == 500)
        let shown = try authctl.run("log", "stream", "--since", "1h")
        #expect(shown.code == 0 && shown.output.split(separator: "\n").count == 501, "\(shown.error)")
        #expect(shown.output.contains("GET") && shown.output.contains("/v1/echo?n"))
        let json = try #require(try authctl.run("log", "stream", "--json").json as? [[String: Any]])
        #expect(json.count == 500 && json.allSatisfy { $0["status"] as? Int == 200 })
    }

    @Test func `every request of a killed run has its line, and none is cut`() throws {
        let script = """
            echo there >&2; seq 100000 | xargs -P 20 -I{} \(Self.curl) -o /dev/null "$AUTHCTL_SERVE_URL"echo
            """
        let before = try service.seen().answered
        let run = try authctl.onTerminal("exec", "-P", "stream", "--serve", "--", "bash", "-c", script)
        try run.pty.wait(for: "there")
        #expect(try eventually { try service.seen().answered > before + 100 })
        run.pty.child.send(signal: SIGKILL)
        #expect(try run.end() == .signalled(SIGKILL))
        #expect(try authctl.run("exec", "-P", "stream", "--serve", "--", "true").code == 0)
        let begun = try lines(own).count { $0["method"] != nil }
        // One of the answered is the verify of each run.
        #expect(try begun >= service.seen().answered - before - 2)
        #expect(try authctl.run("log", "stream").code == 0)
    }

    @Test func `a log that is rotated loses no request`() throws {
        let script = """
            (for i in $(seq 20); do sleep 0.1; mv '\(own)' '\(own)'.$i; done) &
            seq 300 | xargs -P 10 -I{} \(Self.curl) -o /dev/null "$AUTHCTL_SERVE_URL"'echo?n={}'; wait
            """
        #expect(try serve(script, within: 300).code == 0)
        let folder = authctl.state + "/serve"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        let all = try names.flatMap { try lines(folder + "/" + $0) }
        #expect(all.count { $0["method"] != nil } == 300 && all.count { $0["ms"] != nil } == 300)
        #expect(names.count > 2)
    }

    @Test(.enabled(if: getuid() == 0, "only root mounts"))
    func `what cannot be logged on a full disk is refused, until there is room`() throws {
        let folder = authctl.folder + "/disk"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let mount = try Command.tool("mount", ["-t", "tmpfs", "-o", "size=64k,mode=700", "none", folder])
        try #require(mount.code == 0, "\(mount.error)")
        defer { _ = try? Command.tool("umount", ["-l", folder]) }
        let before = try service.seen().answered
        let result = try serve(
            """
            status() { \(Self.curl) -o /dev/null -w '%{http_code}\\n' "$AUTHCTL_SERVE_URL"echo; }
            status; cat /dev/zero > '\(folder)/ballast' 2> /dev/null
            for i in $(seq 40); do status; done | sort | uniq -c | tail -n 1 | tr -s ' '
            rm '\(folder)/ballast'; status
            """, "--log", folder + "/log")
        let words = result.output.split { $0 == "\n" || $0 == " " }
        #expect(words.first == "200" && words.last == "200" && words.contains("503"), "\(result.output)\(result.error)")
        let begun = try lines(folder + "/log").count { $0["method"] != nil }
        // The login is verified before the command runs.
        #expect(try begun == service.seen().answered - before - 1)
    }

    @Test func `authctl log shows a file that --log has written, by its path or its name`() throws {
        let path = authctl.folder + "/agent.jsonl"
        #expect(try serve("\(Self.curl) -o /dev/null \"$AUTHCTL_SERVE_URL\"echo", "--log", path).code == 0)
        for name in [path, "agent.jsonl"] {
            let shown = try authctl.run("log", name)
            #expect(shown.code == 0 && shown.output.contains("GET") && shown.output.contains("/v1/echo"), "\(shown)")
        }
        let missing = try authctl.run("log", authctl.folder + "/nothing")
        #expect(missing.code == 2 && missing.error.contains("there is no file"), "\(missing.error)")
        #expect(try authctl.run("log", authctl.folder + "/").code == 2)
    }

    @Test func `a log that cannot be written ends the command before it begins`() throws {
        let link = authctl.folder + "/link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/null")
        let result = try serve("touch ran", "--log", link)
        #expect(result.code == 102 && result.error.contains("symbolic link") && !authctl.hasFile("ran"))
    }

    @Test func `a profile without a log says how to keep one`() throws {
        let none = try authctl.run("log", "stream")
        #expect(none.code == 0 && none.output.isEmpty && none.error.contains("log = true"))
        #expect(try authctl.run("log", "stream", "--json").output == "[]\n")
        #expect(try authctl.run("log", "stream", "--since", "soon").code == 2)
    }
}
