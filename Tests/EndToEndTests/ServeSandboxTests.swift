import Foundation
@testable import LoginTestSupport
import Testing

/// The recipes of authctl-serve(7): a sandbox that has the service alone, and another machine.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette"), RealServer.require("openssl"))
struct `A login that is lent` {
    let service: StreamServer
    let named: NamedService
    let authctl: Installation
    let runtime: TemporaryHome

    init() throws {
        service = try StreamServer()
        named = try NamedService(at: service.origin)
        authctl = try Installation(
            config: service.profile.replacing(service.origin, with: NamedService.origin).replacing(
                "method = \"token\"", with: "method = \"token\"\n\(named.keys)"))
        try authctl.logIn("stream")
        runtime = try TemporaryHome()
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: runtime.path)
        try FileManager.default.createDirectory(atPath: job, withIntermediateDirectories: true)
    }

    private var job: String { authctl.folder + "/job" }

    /// Nobody may have mounts of their own in a plain chroot.
    private static let mayMount = ConditionTrait.enabled(
        if: RealServer.path(of: "bwrap") == nil
            || (try? Command.tool("unshare", ["-Urnm", "bwrap", "--unshare-all", "--ro-bind", "/", "/", "true"]))?.code
                == 0,
        "bubblewrap may not unshare here")

    /// The options of the first recipe that say how the login is lent.
    private static let inNetwork = ["--unchanged", "--own-network", "--others", "refuse"]

    /// The script of `bash -c` in the first recipe, with a copy of this repository's filter, which may lie where only root can read, and
    /// another program in the place of the agent.
    private func sandboxed(_ program: String) throws -> String {
        let recipe = try Recipe.texts(of: "A sandbox for an agent", in: "authctl-serve.7", chapter: "EXAMPLES")[0]
        let parts = recipe.split(separator: "'", maxSplits: 2).map(String.init)
        try #require(parts.count == 3 && parts[0].hasSuffix(" bash -o pipefail -c "))
        let words = parts[0].split { " \\\n".contains($0) }.map(String.init)
        #expect(words.dropFirst(4).starts(with: Self.inNetwork), "authctl exec -P blog")
        let filter = "/no-keyring.bpf"
        try FileManager.default.copyItem(
            atPath: Repository.path + "/share/authctl" + filter, toPath: authctl.folder + filter)
        return parts[1].replacing("/usr/share/authctl", with: authctl.folder)
            .replacing("agent", with: program)
    }

    /// - Parameter asNobody: whether another user than root does it, who has everything of the installation then.
    private func spec(
        _ script: String, _ environment: [String: String] = [:], by way: [String] = inNetwork, asNobody: Bool = false
    ) throws -> ChildSpec {
        let exec = ["exec", "-P", "stream"] + way + ["--", "bash", "-o", "pipefail", "-c", script]
        let variables = authctl.environment.merging(["XDG_RUNTIME_DIR": runtime.path]) { $1 }
            .merging(environment) { $1 }
        guard asNobody else { return ChildSpec(authctl.program, exec, environment: variables, directory: job) }
        let all = [authctl.folder, runtime.path, (named.certificate as NSString).deletingLastPathComponent]
        try #require(try Command.tool("chown", ["-R", "65534:65534"] + all).code == 0)
        let user = ["--reuid=65534", "--regid=65534", "--clear-groups", authctl.program]
        return ChildSpec("/usr/bin/setpriv", user + exec, environment: variables, directory: job)
    }

    private func lent(
        _ script: String, _ environment: [String: String] = [:], by way: [String] = inNetwork
    ) throws -> CommandResult {
        try Command.run(spec(script, environment, by: way), within: 120)
    }

    /// With the libraries that are not the system's, so that it runs in the sandbox.
    private func copyProgram() throws {
        try FileManager.default.copyItem(atPath: authctl.program, toPath: job + "/authctl")
        try FileManager.default.createDirectory(atPath: job + "/lib", withIntermediateDirectories: true)
        let libraries = try Command.tool("ldd", [authctl.program]).output.split(separator: "\n")
        for library in libraries.compactMap({ $0.split(separator: " ").first { $0.hasPrefix("/") } })
        where !library.hasPrefix("/usr/") && !library.hasPrefix("/lib") {
            let name = library.split(separator: "/").last.map(String.init) ?? ""
            try FileManager.default.copyItem(
                at: URL(fileURLWithPath: String(library)).resolvingSymlinksInPath(),
                to: URL(fileURLWithPath: "\(job)/lib/\(name)"))
        }
    }

    @Test(mayMount, RealServer.require("bwrap"))
    func `in the sandbox of the manual the service is there, and nothing else of the login can be reached`() throws {
        let key = try Command.tool("keyctl", ["add", "user", "authctl-test:\(getpid())", "a secret", "@u"])
        let number = key.output.trimmingCharacters(in: .whitespacesAndNewlines)
        defer { _ = try? Command.tool("keyctl", ["unlink", number, "@u"]) }
        try copyProgram()
        let script = """
            curl -q --fail-with-body -sS \(NamedService.origin)/v1/me; echo
            python3 -c 'import urllib.request as u; print(u.urlopen("\(NamedService.origin)/v1/me").read().decode())'
            try() { "$@" > out 2>&1; echo "$? $*"; grep -q secret out && cat out; }
            export HOME=/tmp LD_LIBRARY_PATH=/job/lib
            try ./authctl token stream; try ./authctl --version; try ./authctl approve
            XDG_CONFIG_HOME=\(authctl.folder)/config XDG_STATE_HOME=\(authctl.folder)/state try ./authctl token stream
            try keyctl print \(number); try keyctl show
            try cat \(authctl.plaintext); try ls \(runtime.path); try ls /home /root /run/user
            (echo y > /dev/tty) 2> /dev/null || echo no terminal
            test -z "$DBUS_SESSION_BUS_ADDRESS$XDG_RUNTIME_DIR" && echo no bus
            curl -q -k -sS -o /dev/null https://other.example.test/v1/me 2> /dev/null || echo no other host
            ls -d /run /home 2> /dev/null || echo no sockets
            """
        _ = try authctl.file("job/agent.sh", script)
        let result = try lent(
            try sandboxed("bash agent.sh"),
            ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "https_proxy": named.proxy.url])
        let lines = result.output.split(separator: "\n").map(String.init)
        let name = "{\"name\":\"ann\"}"
        #expect(lines.prefix(2) == [name, name], "\(result.output)\(result.error)")
        func code(_ start: String) -> [String] {
            lines.filter { $0.drop { $0.isNumber }.hasPrefix(" " + start) }.map { String($0.prefix { $0.isNumber }) }
        }
        #expect(code("./authctl --version") == ["0"], "or nothing proves nothing: \(result.output)")
        for command in ["./authctl token", "./authctl approve", "keyctl", "cat", "ls"] {
            #expect(!code(command).isEmpty && !code(command).contains("0"), "\(command): \(result.output)")
        }
        #expect(
            lines.suffix(4) == ["no terminal", "no bus", "no other host", "no sockets"], "\(result.output)")
        #expect(!result.output.contains("a secret"))
    }

    @Test(mayMount, RealServer.require("bwrap"), arguments: getuid() == 0 ? [false, true] : [false])
    func `in the sandbox of the manual nothing of the environment and the terminal outside is left`(asNobody: Bool)
        throws
    {
        let script = """
            set +m
            echo "variables: $(cat /proc/[0-9]*/environ | tr '\\0' '\\n' | sed 's/=.*//' | sort -u | tr '\\n' ' ')"
            grep -c 'outside the sandbox' /proc/[0-9]*/environ /proc/[0-9]*/cmdline
            for place in /proc/[0-9]*/fd/* /dev/console; do readlink "$place" || ls "$place"; done 2> /dev/null
            for fd in 0 1 2; do timeout 2 head -c 1 <&$fd | sed 's/^/read: /'; done
            curl -q --fail-with-body -sS \(NamedService.origin)/v1/me; echo; exit 7
            """
        _ = try authctl.file("job/agent.sh", script)
        let secret = ["DEPLOY_TOKEN": "outside the sandbox", "PASSWORD": "outside the sandbox"]
        let pty = try Pty(spec(try sandboxed("bash agent.sh"), secret, asNobody: asNobody), columns: 200)
        pty.type("yyyyy\n")
        #expect(try pty.waitForEnd() == .exited(7))
        let lines = pty.text.replacing("\r\n", with: "\n").split(separator: "\n").map(String.init)
        // The notice of a login precedes it on its line.
        let told = lines.first { $0.contains("variables: ") }?.components(separatedBy: "variables: ").last ?? ""
        let names = told.split(separator: " ").map(String.init)
        let own = ["OLDPWD", "PATH", "PWD", "SHLVL", "_"]
        #expect(names.contains("PATH") && Set(names).isSubset(of: own), "\(pty.text)")
        #expect(lines.contains("/proc/1/environ:0") && lines.contains("/proc/1/cmdline:0"), "\(pty.text)")
        #expect(!lines.contains { $0.hasSuffix("iron:1") || $0.hasSuffix("line:1") }, "\(pty.text)")
        #expect(lines.contains("/dev/null") && lines.contains { $0.hasPrefix("pipe:") }, "\(pty.text)")
        #expect(
            !lines.contains { $0.hasPrefix("/dev/pts") || $0.contains("console") || $0.hasPrefix("read: ") },
            "\(pty.text)")
        #expect(lines.contains("{\"name\":\"ann\"}"), "\(pty.text)")
    }

    @Test(.enabled(if: ["x86_64", "aarch64"].contains(Self.machine), "numbers of other machines are not tried"))
    func `the filter of the sandbox is what its script writes`() throws {
        let written = try Command.run(ChildSpec(Repository.path + "/scripts/keyring-filter", []))
        #expect(Data(written.outputBytes) == (try authctl.bytes(Repository.path + "/share/authctl/no-keyring.bpf")))
    }

    private static var machine: String {
        var name = utsname()
        uname(&name)
        return withUnsafeBytes(of: &name.machine) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    @Test(RealServer.require("sshd"), RealServer.require("ssh"))
    func `on another machine the login is used through a socket of ssh, by its user alone, and again after a crash`()
        throws
    {
        let server = try SSHServer(in: authctl.folder, "PermitRootLogin yes\nStreamLocalBindUnlink yes")
        defer { withExtendedLifetime(server) {} }
        let far = runtime.path + "/far.sock"
        let options = server.options + ["ExitOnForwardFailure=yes"]
        let ssh = "ssh -F none \(options.map { "-o \($0)" }.joined(separator: " "))"
        let recipe = try Recipe.texts(of: "On another machine", in: "authctl-serve.7", chapter: "EXAMPLES")[0]
        let parts = recipe.split(separator: "'", maxSplits: 2).map(String.init)
        try #require(parts.count == 3)
        let changes = [
            ("ssh ", ssh + " "), ("/run/user/1000/blog.sock", far), ("host.example", "127.0.0.1"),
            ("curl ", "curl -q -fsS "), ("\"posts", "\"me"),
        ]
        let script = changes.reduce(parts[1]) { $0.replacing($1.0, with: $1.1) }
        // What a connection that was lost has left there.
        _ = try authctl.file("old.py", "import socket; socket.socket(socket.AF_UNIX).bind('\(far)')")
        #expect(try Command.tool("python3", [authctl.folder + "/old.py"]).code == 0)
        for _ in 1...2 {
            let result = try lent(script, by: ["--serve-socket", "auto"])
            #expect(result.output == "{\"name\":\"ann\"}", "\(result.error)\(server.text)")
        }
        guard getuid() == 0 else { return }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: runtime.path)
        let other = script.replacing("curl -q", with: "setpriv --reuid 65534 --clear-groups curl -q")
        let refused = try lent(other, by: ["--serve-socket", "auto"])
        #expect(refused.output.isEmpty && refused.code != 0, "\(refused.error)")
    }
}
