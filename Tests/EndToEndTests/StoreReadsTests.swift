import Foundation
@testable import LoginTestSupport
import Testing

/// How often a request whose session has expired reads its secret, where each read is a program.
@Suite(.onOwnThreads) struct `A store that is slow to read` {
    let demo: DemoBackendProcess
    let authctl: Installation

    /// Keeps each entry in a file beside it and notes what it was asked for.
    private static let helper = """
        #!/usr/bin/python3
        import json, os, sys
        folder, verb = os.path.dirname(sys.argv[0]), sys.argv[1]
        with open(folder + "/asked", "a") as asked: print(verb, file=asked)
        path = folder + "/entries"
        entries = json.load(open(path)) if os.path.exists(path) else {}
        if verb == "list": print(json.dumps({url: entry["Username"] for url, entry in entries.items()}))
        else:
            text = sys.stdin.read()
            if verb == "store": entries[json.loads(text)["ServerURL"]] = json.loads(text)
            if verb == "erase": entries.pop(text.strip(), None)
            if verb == "get":
                if text.strip() not in entries: sys.exit(print("credentials not found in native keychain") or 1)
                print(json.dumps(entries[text.strip()]))
            json.dump(entries, open(path, "w"))
        """

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo, store: "helper:counting")
    }

    @Test
    func `a store that is slow to read is read twice by a request that refreshes its session, and after each write`()
        throws
    {
        let folder = authctl.folder + "/bin"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let path = folder + "/docker-credential-counting"
        try Self.helper.write(toFile: path, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
        let search = ["PATH": folder + ":/usr/bin:/bin"]
        let login = try authctl.run(
            ["login", "chat", "-u", "ann", "--password-stdin"], input: "correct horse", environment: search)
        try #require(login.code == 0, "\(login.error)")
        try FileManager.default.removeItem(atPath: folder + "/asked")
        let run = try authctl.runLater(
            ["request", demo.origin + "/_matrix/client/v3/account/whoami", "-P", "chat"], environment: search)
        #expect(run.code == 0, "\(run.error)")
        let asked = try String(contentsOfFile: folder + "/asked", encoding: .utf8).split(separator: "\n")
        let writes = asked.count { $0 == "store" }
        #expect(writes > 0 && asked.count { $0 == "get" } == 2 + writes, "\(asked)")
        #expect(try demo.requests().count { $0.path.hasSuffix("/refresh") } == 1)
    }
}
