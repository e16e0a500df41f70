import Foundation
@testable import LoginTestSupport
import Testing

/// The recipes of UNATTENDED USE for containers and for systemd. Tests/Stands has what stands for docker, and boots a systemd.
@Suite(.onOwnThreads) struct `Unattended in a container` {
    let place: Workplace

    init() throws {
        place = try Workplace()
    }

    private static let stands = Repository.path + "/Tests/Stands"
    private static let isRoot = getuid() == 0

    /// Nobody may have mounts of their own in a plain chroot, whose root is no mount point. A bwrap that is missing is another
    /// matter, and fails.
    private static let mayMount: ConditionTrait = .enabled(
        if: RealServer.path(of: "bwrap") == nil
            || (try? Command.tool("bwrap", ["--bind", "/", "/", "true"]))?.code == 0,
        "no mounts are possible here, as in a chroot")

    private func logouts() throws -> Int {
        try place.demo.requests().count { $0.path == "/users/logout" && $0.status == 204 }
    }

    /// Runs a recipe with the image of the Dockerfile before it.
    private func docker(_ script: String, password: String = Workplace.secret) throws -> CommandResult {
        let image = place.authctl.folder + "/image", host = place.authctl.folder + "/host"
        try place.authctl.home.write(Recipe.texts(of: "Containers")[0], to: "image/Dockerfile")
        let config = try String(contentsOfFile: place.config, encoding: .utf8)
        try place.authctl.home.write(config, to: "image/authctl.toml", mode: 0o644)
        try? FileManager.default.createSymbolicLink(
            atPath: image + "/authctl", withDestinationPath: place.authctl.program)
        _ = try place.authctl.file("host/etc/blog.password", password + "\n", mode: 0o644)
        return try place.shell(
            "/bin/sh", ["-c"], script,
            ["PATH": Self.stands + ":/usr/bin:/bin", "STAND_IMAGE": image, "STAND_HOST": host])
    }

    @Test(mayMount, RealServer.require("bwrap"), RealServer.requirePython("seccomp"))
    func `a command with a login: without keyring, home or account, and with a read-only system`() throws {
        let run = try docker(place.recipe("Containers", 1))
        #expect(run.code == 0 && run.output.contains("\"post\":\"hello\""), "\(run.output)\(run.error)")
        #expect(try place.posts() == 1 && logouts() == 1)
        let refused = try docker(place.recipe("Containers", 1), password: "wrong")
        #expect(refused.code == 103 && refused.output.isEmpty, "\(refused.error)")
    }

    @Test(mayMount, RealServer.require("bwrap"), RealServer.requirePython("seccomp"))
    func `several commands share a login in memory`() throws {
        let run = try docker(place.recipe("Containers", 2))
        #expect(run.code == 0 && run.output.contains("\"author\":\"ann\""), "\(run.output)\(run.error)")
        #expect(try logouts() == 1)
        let refused = try docker(place.recipe("Containers", 2), password: "wrong")
        #expect(refused.code == 3 && refused.output.isEmpty, "\(refused.error)")
    }

    @Test(mayMount, RealServer.require("bwrap"), RealServer.requirePython("seccomp"))
    func `where nothing can be kept, the message names what would help`() throws {
        func login(_ store: String) throws -> CommandResult {
            try docker(
                "docker run --rm --read-only -v /etc/blog.password:/run/secrets/blog:ro image "
                    + "authctl login blog -u ann --password-file /run/secrets/blog --store \(store)")
        }
        let plain = try login("plaintext")
        #expect(plain.code == 8 && plain.error.contains("/.local") && !plain.error.contains("//.local"))
        #expect(plain.error.contains("XDG_STATE_HOME") && plain.error.contains("--store none"), "\(plain.error)")
        let keyring = try login("keyring")
        #expect(keyring.code == 8 && keyring.error.contains("the kernel refuses"), "\(keyring.error)")
        #expect(try login("none").code == 0)
    }

    @Test(mayMount, RealServer.require("bwrap"), RealServer.requirePython("seccomp"))
    func `no home is needed where nothing is kept, or where that has a place of its own`() throws {
        let account = "-e AUTHCTL_PROFILE=blog -e AUTHCTL_USERNAME=ann -e AUTHCTL_PASSWORD_FILE=/run/secrets/blog "
        func run(_ options: String, _ command: String) throws -> CommandResult {
            try docker(
                "docker run --rm --read-only \(options)-v /etc/blog.password:/run/secrets/blog:ro image "
                    + "env -u HOME authctl \(command)")
        }
        let request = try run(account, "request POST /posts --json {}")
        #expect(request.code == 0 && request.output.contains("\"author\":\"ann\""), "\(request.error)")
        let memory = "--tmpfs /run/authctl:mode=1777 -e XDG_STATE_HOME=/run/authctl -e AUTHCTL_STORE=plaintext "
        #expect(try run(account + memory, "login").code == 0)
        let nowhere = try run(account + "-e AUTHCTL_STORE=plaintext ", "login")
        #expect(nowhere.code == 8 && nowhere.error.contains("XDG_STATE_HOME"), "\(nowhere.error)")
    }

    @Test(mayMount, RealServer.require("bwrap"))
    func `unattended in a container works without /proc, in folders that it makes`() throws {
        let environment = ["HOME": place.authctl.folder + "/fresh", "AUTHCTL_CONFIG": place.config, "PATH": place.path]
        func run(_ arguments: [String], input: String = "") throws -> CommandResult {
            let words = ["--bind", "/", "/", "--tmpfs", "/proc", "--", place.authctl.program] + arguments
            let spec = ChildSpec("/usr/bin/bwrap", words, environment: environment)
            return try Command.run(spec, input: Array(input.utf8))
        }
        let login = ["login", "blog", "-u", "ann", "--password-stdin", "--store", "plaintext"]
        #expect(try run(["whoami", "blog"]).code == 4)
        let made = try run(login, input: Workplace.secret)
        #expect(made.code == 0, "\(made.error)")
        let who = try run(["whoami", "blog"])
        #expect(who.code == 0 && who.output == "ann\n", "\(who.output)\(who.error)")
        #expect(try run(["exec", "-P", "blog", "--", "sh", "-c", "exit 7"]).code == 7)
        let keyring = try run(["store", "test", "keyring"])
        #expect(keyring.code == 8 && keyring.error.contains("/proc is not mounted"), "\(keyring.error)")
        #expect(try run(["logout", "blog"]).code == 0)
    }

    @Test(mayMount, RealServer.require("bwrap"), RealServer.require("python3"), RealServer.require("openssl"))
    func `an image without ca-certificates is told which package it lacks`() throws {
        let front = try TLSFront(to: place.demo.port)
        defer { front.stop() }
        let words = ["--bind", "/", "/", "--tmpfs", "/etc/ssl", "--", place.authctl.program, "login"]
        let url = "https://127.0.0.1:\(front.port)/account/verify_credentials.json"
        let run = try Command.run(
            ChildSpec("/usr/bin/bwrap", words + [url], environment: place.authctl.environment))
        #expect(run.code == 2 && run.error.contains("install the package ca-certificates"), "\(run.error)")
        #expect(run.error.contains("AUTHCTL_CA_FILE"))
    }

    // --- systemd

    private static let unit = "upload.service"

    /// A folder as Tests/Stands/systemd wants it.
    private func unitFolder(password: String) throws -> String {
        let home = place.authctl.home, folder = place.authctl.folder + "/boot"
        try home.write(Recipe.texts(of: "systemd")[0].replacing(/\bada\b/, with: "ann"), to: "boot/" + Self.unit)
        let config = try String(contentsOfFile: place.config, encoding: .utf8)
        try home.write(config, to: "boot/etc/authctl/config.toml", mode: 0o644)
        _ = try place.authctl.file("boot/etc/authctl/blog.password", password + "\n")
        try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
        for (source, name) in [(place.authctl.program, "authctl"), (place.programs + "/upload", "upload")] {
            try #require(try Command.tool("cp", ["-L", source, folder + "/bin/" + name]).code == 0)
        }
        return folder
    }

    @Test(
        mayMount, .enabled(if: isRoot, "a systemd can be booted by root alone"), RealServer.require("systemd-analyze"),
        arguments: [(Workplace.secret, Int32(0)), ("wrong", 103)])
    func `a unit of a real systemd, in namespaces of its own`(password: String, code: Int32) throws {
        let folder = try unitFolder(password: password)
        let run = try Command.run(
            ChildSpec(
                Self.stands + "/systemd", [folder, Self.unit], environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]))
        let output = (try? String(contentsOfFile: folder + "/output", encoding: .utf8)) ?? ""
        #expect(run.code == code, "\(run.output)\(run.error)\(output)")
        #expect(output.contains("upload runs as ann\n") == (code == 0) && !output.contains("sees"), "\(output)")
        #expect(try logouts() == (code == 0 ? 1 : 0) && place.posts() == (code == 0 ? 1 : 0))
    }

    /// What systemd.exec(5) promises to the program: `%d`, a file there that nobody else reads, and an environment without HOME.
    @Test func `a unit's line with the credential where systemd puts it`() throws {
        let folder = try unitFolder(password: Workplace.secret)
        let unit = try String(contentsOfFile: folder + "/" + Self.unit, encoding: .utf8)
        let credentials = try place.authctl.file("credentials/blog", Workplace.secret + "\n", mode: 0o400)
        let line = try #require(unit.replacing("\\\n", with: " ").firstMatch(of: /ExecStart=(.*)/)).1
            .replacing("%d", with: URL(fileURLWithPath: credentials).deletingLastPathComponent().path)
        let environment = ["AUTHCTL_CONFIG": place.config, "PATH": place.path, "LANG": "C.UTF-8"]
        let words = line.split(separator: " ").map(String.init)
        #expect(words[0] == "authctl", "systemd looks for a name in its own folders")
        let program = place.programs + "/authctl"
        let run = try Command.run(ChildSpec(program, Array(words.dropFirst()), environment: environment))
        #expect(run.code == 0 && run.output == "upload runs as ann\n", "\(run.output)\(run.error)")
        #expect(try logouts() == 1 && place.posts() == 1)
    }
}
