import Foundation
@testable import LoginTestSupport
import Testing

/// Threats M2, M6, M9 and S7 at the binary, with a user of its own where one is needed.
@Suite(.onOwnThreads) struct `A running authctl` {
    private static let nobody = 65534
    private static let isRoot = getuid() == 0

    let demo: DemoBackendProcess

    init() throws {
        demo = try DemoBackendProcess()
    }

    private func asNobody(_ words: [String]) throws -> ChildSpec {
        let setpriv = try #require(RealServer.path(of: "setpriv"))
        let identity = ["--reuid=\(Self.nobody)", "--regid=\(Self.nobody)", "--clear-groups"]
        return ChildSpec(setpriv, identity + words)
    }

    /// A late binding saves the vector registers, and what they hold of a secret, on the stack.
    @Test(RealServer.require("readelf")) func `binds every function at its start`() throws {
        let header = try Command.tool("readelf", ["-d", try BuiltProducts.path(of: "authctl")])
        #expect(header.output.contains("BIND_NOW"))
    }

    /// Libraries allocate memory before main, with a password of the environment in reach. The loader itself does so before anything
    /// of the program runs.
    @Test(RealServer.require("cc"))
    func `a running authctl leaves no core from the first library on, whatever crashes before main`()
        throws
    {
        let authctl = try Installation(demo)
        let source = try authctl.home.write(
            """
            #define _GNU_SOURCE
            #include <dlfcn.h>
            #include <stdio.h>
            #include <stdlib.h>
            #include <sys/prctl.h>
            static int calls, hardened;
            void *__libc_malloc(size_t);
            void *malloc(size_t size) {
                calls++;
                if (prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 0) hardened++;
                return __libc_malloc(size);
            }
            __attribute__((constructor)) static void first(void) {
                fprintf(stderr, "first constructor: %d\\n", prctl(PR_GET_DUMPABLE, 0, 0, 0, 0));
            }
            __attribute__((destructor)) static void last(void) {
                fprintf(stderr, "open: %d of %d\\n", calls - hardened, calls);
            }
            """, to: "malloc.c")
        let library = authctl.folder + "/malloc.so"
        #expect(try Command.tool("cc", ["-shared", "-fPIC", "-o", library, source]).code == 0)
        let run = try authctl.run(["--version"], environment: ["LD_PRELOAD": library])
        #expect(run.error.contains("first constructor: 0\n"), "\(run.error)")
        // Those of the loader, and no others.
        let counts = try #require(run.error.firstMatch(of: /open: (\d+) of (\d+)/))
        #expect(try #require(Int(counts.1)) < 20 && #require(Int(counts.2)) > 60, "\(run.error)")
    }

    @Test(RealServer.require("strace")) func `a running authctl does nothing more once its stack cannot be wiped`()
        throws
    {
        let authctl = try Installation(demo), strace = try #require(RealServer.path(of: "strace"))
        func version(_ fault: String) throws -> CommandResult {
            let words = ["-o", "/dev/null", "-e", "inject=madvise:\(fault)", authctl.program, "--version"]
            return try Command.run(ChildSpec(strace, words, environment: authctl.environment))
        }
        let failed = try version("error=EINVAL")
        #expect(failed.code == 1 && failed.error.contains("cannot be cleared"), "\(failed.error)")
        // A stack that is shorter than what is given back.
        #expect(try version("error=ENOMEM").code == 0)
    }

    @Test func `a running authctl has no library but the system's, and opens the others on first use`()
        throws
    {
        let program = try BuiltProducts.path(of: "authctl")
        let libraries = try Command.run(ChildSpec(program, environment: ["LD_TRACE_LOADED_OBJECTS": "1"])).output
        #expect(libraries.contains("libc.so"))
        for name in ["libreadline", "libsodium", "libcurl", "libsecret", "libxml2", "libgssapi"] {
            #expect(!libraries.contains(name))
        }
    }

    /// A home that belongs to somebody without any rights.
    private func homeOfNobody() throws -> Installation {
        let authctl = try Installation(demo)
        try #require(try Command.tool("chown", ["-R", "\(Self.nobody)", authctl.folder]).code == 0)
        return authctl
    }

    /// At the prompt, and while the server is asked.
    private func running(_ program: PublicProgram, _ authctl: Installation, _ moment: String) throws -> Pty {
        let shell = ["/bin/sh", "-c", "ulimit -c unlimited; cd \"$HOME\"; exec \"$@\"", "sh"]
        var spec = try asNobody(shell + [program.path, "login", "wire"])
        spec.environment = authctl.environment
        let pty = try Pty(spec)
        try pty.wait(for: "User name: ")
        guard moment != "User name: " else { return pty }
        pty.type("slow\r")
        try pty.wait(for: "Password: ")
        pty.type("slow and steady\r")
        return try pty.wait(for: moment)
    }

    /// What a process of the same user tries on another.
    private func looks(at pid: Int32) throws -> [(what: String, succeeded: Bool)] {
        var looks = try ["environ", "mem", "maps", "auxv", "io", "syscall"].map { file in
            let look = try Command.run(asNobody(["/usr/bin/head", "-c1", "/proc/\(pid)/\(file)"]))
            return (file, look.code == 0 && !look.outputBytes.isEmpty)
        }
        looks.append(("fd", try Command.run(asNobody(["/bin/ls", "/proc/\(pid)/fd"])).code == 0))
        if let strace = RealServer.path(of: "strace") {
            let attach = ["/usr/bin/timeout", "2", strace, "-o", "/dev/null", "-p", "\(pid)"]
            looks.append(("ptrace", try !Command.run(asNobody(attach)).error.contains("Operation not permitted")))
        }
        if let gdb = RealServer.path(of: "gdb") {
            let attach = ["/usr/bin/timeout", "20", gdb, "-nx", "-batch", "-p", "\(pid)"]
            let seen = try Command.run(asNobody(attach))
            looks.append(("gdb", !(seen.output + seen.error).contains("Operation not permitted")))
        }
        return looks
    }

    @Test(
        .enabled(if: isRoot, "another user is needed to look from"), RealServer.require("strace"),
        arguments: ["User name: ", "please wait…"])
    func `a running authctl is closed to other processes of its user, at the prompt and while it asks the server`(
        moment: String
    ) throws {
        let authctl = try homeOfNobody(), program = try PublicProgram("authctl")
        let pty = try running(program, authctl, moment)
        for (what, succeeded) in try looks(at: pty.child.pid) { #expect(!succeeded, "\(what) at '\(moment)'") }
        let limits = try String(contentsOfFile: "/proc/\(pty.child.pid)/limits", encoding: .utf8)
        #expect(limits.contains(try Regex("Max core file size +0 +")))
        pty.child.send(signal: SIGTERM)
        #expect(try pty.waitForEnd() == .signalled(SIGTERM))
        // Another program of that user is open to all of it, but for memory that was never asked for.
        var sleep = try asNobody(["/bin/sleep", "30"])
        sleep.environment = ["NAME": "value"]
        let open = try Pty(sleep)
        let name = "/proc/\(open.child.pid)/comm"
        try #require(eventually { (try? String(contentsOfFile: name, encoding: .utf8)) == "sleep\n" })
        let seen = try looks(at: open.child.pid).filter { $0.what != "mem" && $0.what != "syscall" }
        #expect(seen.allSatisfy { $0.succeeded }, "\(seen)")
    }

    @Test(.enabled(if: isRoot, "another user is needed"), arguments: ["User name: ", "please wait…"])
    func `a running authctl leaves no core, whatever kills it`(moment: String) throws {
        let program = try PublicProgram("authctl")
        for number in [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGXCPU] {
            let authctl = try homeOfNobody()
            let pty = try running(program, authctl, moment)
            pty.child.send(signal: number)
            #expect(try pty.waitForEnd() == .signalled(number))
            // Nor what Swift's own backtracer would show of stack and registers.
            #expect(!pty.text.contains("crashed") && !pty.text.contains("Thread 0"), "\(pty.text)")
            #expect(authctl.home.files.filter { $0.contains("core") }.isEmpty)
        }
    }

    @Test
    func `a running authctl works with any of the standard descriptors closed, and writes into no file of its own`()
        throws
    {
        for closed in 0..<8 {
            let authctl = try Installation(demo)
            let file = try authctl.file("password", "correct horse\n")
            let redirections = zip([1, 2, 4], ["<&-", ">&-", "2>&-"]).filter { closed & $0.0 != 0 }.map(\.1)
            let commands = [
                ["login", "wire", "-u", "ann", "--password-file", file, "--verbose"], ["whoami", "wire", "--verbose"],
                ["status", "--json"], ["logout", "wire", "--verbose"],
            ]
            for command in commands {
                let script = "exec \"$@\" \(redirections.joined(separator: " "))"
                let words = ["-c", script, "sh", authctl.program] + command
                let result = try Command.run(ChildSpec("/bin/sh", words, environment: authctl.environment))
                // The default profile is without a login, which status counts.
                let hasOutput = closed & 2 == 0
                let isAnswered = command[0] == "status" || command[0] == "whoami"
                let expected: Int32 = isAnswered && !hasOutput ? 1 : command[0] == "status" ? 4 : 0
                #expect(result.code == expected, "\(closed) \(command): \(result.error)")
                if command[0] == "whoami", closed & 2 == 0 { #expect(result.output == "ann\n") }
                for name in authctl.home.files where name.hasPrefix("state/") {
                    let text = try authctl.home.read(name)
                    #expect(!text.contains("wire (") && !text.contains("> GET"), "\(closed) \(command): \(name)")
                }
            }
            #expect(try authctl.keptSecrets().isEmpty)
        }
    }

    @Test(arguments: [["token", "chat"], ["whoami", "chat"], ["status", "chat", "--json"], ["completion", "bash"]])
    func `a result that nobody can have is 1, and its reader's leaving is no fault`(command: [String]) throws {
        let authctl = try Installation(demo)
        try authctl.logIn("chat")
        func shell(_ script: String) throws -> CommandResult {
            let words = ["-c", script, "bash", authctl.program] + command
            return try Command.run(ChildSpec("/bin/bash", words, environment: authctl.environment))
        }
        let closed = try shell("exec \"$@\" >&-")
        #expect(closed.code == 1 && closed.error.contains("write failed"), "\(closed.error)")
        // A pipe whose reader is gone already, so that no write comes too early.
        let left = try shell("exec 3> >(exec <&-); wait $!; \"$@\" >&3; echo $?")
        #expect(left.output == "141\n" && left.errorBytes.isEmpty, "\(left.output)\(left.error)")
    }

    @Test(.enabled(if: isRoot, "only root can make a set-uid copy for others"), arguments: [0o4755, 0o2755])
    func `a running authctl refuses to run with rights that its caller has not`(mode: Int) throws {
        let program = try PublicProgram("authctl"), copy = program.path
        #expect(chown(copy, 0, 0) == 0 && chmod(copy, mode_t(mode)) == 0)
        for command in [["--version"], ["login", "wire"], ["store", "list"]] {
            let result = try Command.run(asNobody([copy] + command))
            #expect(result.code == 1, "\(command): \(result.output)")
            #expect(result.output.isEmpty)
            #expect(result.error.contains("set-uid"), "\(result.error)")
        }
        // The same copy without the bit runs.
        #expect(chmod(copy, 0o755) == 0)
        #expect(try Command.run(asNobody([copy, "--version"])).code == 0)
    }

    @Test(RealServer.require("python3"), RealServer.require("openssl"), RealServer.require("strace"))
    func `obeys nothing that libcurl and OpenSSL would find in the environment or at home`() throws {
        let front = try TLSFront(to: demo.port)
        defer { front.stop() }
        let authctl = try Installation(
            config: try demo.profiles().replacing(demo.origin, with: "https://127.0.0.1:\(front.port)"))
        let keys = authctl.folder + "/keys"
        let netrc = try authctl.home.write("default login eve password netrc-canary\n", to: ".netrc")
        let openssl = try authctl.home.write("openssl_conf = nowhere\n", to: "openssl.cnf")
        let curlrc = try authctl.home.write("proxy = 127.0.0.1:1\ninsecure\n", to: ".curlrc")
        let steering = [
            "SSLKEYLOGFILE": keys, "OPENSSL_CONF": openssl, "SSL_CERT_FILE": front.certificate,
            "SSL_CERT_DIR": authctl.folder, "CURL_CA_BUNDLE": front.certificate, "CURL_SSL_BACKEND": "gnutls",
            "OPENSSL_ENGINES": authctl.folder, "OPENSSL_MODULES": authctl.folder, "CURL_HOME": authctl.folder,
            "NETRC": netrc, "https_proxy": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1",
        ]
        let login = ["login", "wire", "-u", "ann", "--password-stdin"]
        let untrusted = try authctl.run(login, input: "correct horse", environment: steering)
        #expect(untrusted.code == 7, "\(untrusted.error)")
        let strace = try #require(RealServer.path(of: "strace")), trace = authctl.folder + "/trace"
        let spec = ChildSpec(
            strace, ["-f", "-e", "trace=/open", "-o", trace, authctl.program] + login,
            environment: authctl.environment.merging(steering) { $1 }
                .merging(["AUTHCTL_CA_FILE": front.certificate]) { $1 })
        let trusted = try Command.run(spec, input: Array("correct horse".utf8))
        #expect(trusted.code == 0, "\(trusted.error)")
        #expect(!FileManager.default.fileExists(atPath: keys))
        let opened = try String(contentsOfFile: trace, encoding: .utf8)
        #expect(opened.contains("libcurl.so.4") && opened.contains(front.certificate))
        for file in [keys, netrc, openssl, curlrc] { #expect(!opened.contains("\"\(file)\""), "\(file)") }
    }
}
