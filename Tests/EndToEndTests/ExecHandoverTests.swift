import Foundation
@testable import LoginTestSupport
import Testing

/// `exec`: what its command finds, and what it does not.
@Suite(.onOwnThreads) struct `The command of an exec finds` {
    let demo: DemoBackendProcess
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        authctl = try Installation(demo)
    }

    private static let supplied = [
        "AUTHCTL_PROFILE": "chat", "AUTHCTL_USERNAME": "ann", "AUTHCTL_PASSWORD": "correct horse",
        "AUTHCTL_STORE_PASSPHRASE_FILE": "/nowhere", "AUTHCTL_PASSWORD_FILE": "/nowhere",
    ]

    @Test(arguments: [[], ["--ephemeral"], ["--serve"]])
    func `no secret among its arguments and variables that was not asked for`(how: [String]) throws {
        let result = try authctl.run(
            ["exec"] + how + ["--", "sh", "-c", "cat /proc/$$/environ /proc/$$/cmdline; ls /proc/self/fd"],
            environment: Self.supplied)
        #expect(result.code == 0, "\(result.error)")
        let variables = Set(result.output.split(separator: "\0").map(String.init))
        #expect(
            variables.isSuperset(of: [
                "AUTHCTL_PROFILE=chat", "AUTHCTL_USERNAME=ann", "AUTHCTL_EXEC=chat", "AUTHCTL_ORIGIN=\(demo.origin)",
            ]))
        for absent in ["PASSWORD", "PASSPHRASE", "correct horse", "access-", "/nowhere"] {
            #expect(!result.output.contains(absent))
        }
    }

    @Test(arguments: [[], ["--ephemeral", "--password-file", "password"], ["--serve"]])
    func `the descriptors 0, 1 and 2 alone, whatever its caller had open`(how: [String]) throws {
        try authctl.logIn("wire")
        let password = try authctl.file("password", "correct horse\n")
        let words = (["exec", "-P", "wire", "-u", "ann"] + how).map { $0 == "password" ? password : $0 }
        let script = "exec \"$@\" -- /bin/ls -l /proc/self/fd 5</etc/passwd 7>&1 99</etc/passwd"
        let result = try Command.run(
            ChildSpec(
                "/bin/bash", ["-c", script, "sh", authctl.program] + words, environment: authctl.environment,
                directory: authctl.folder))
        let numbers = result.output.split(separator: "\n").compactMap { line -> String? in
            let words = line.split(separator: " ")
            // ls itself has the folder open.
            guard let arrow = words.firstIndex(of: "->"), !line.hasSuffix("/fd") else { return nil }
            return String(words[arrow - 1])
        }
        #expect(Set(numbers) == ["0", "1", "2"], "\(result.output)\(result.error)")
    }

    @Test(arguments: [[], ["--ephemeral"], ["--serve"]])
    func `everything else as if authctl were not there`(how: [String]) throws {
        let script = """
            umask; ulimit -Sc; ulimit -Hc; grep -E '^Sig(Blk|Ign|Cgt)|^NoNewPrivs' /proc/self/status; pwd
            env | grep -vi -e ^AUTHCTL_ -e ^_= -e ^no_proxy= | sort
            """
        let odd = [
            "http_proxy": "http://127.0.0.1:1", "SSLKEYLOGFILE": "/dev/null", "INPUTRC": "/nowhere",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere", "ODD": "a\u{1}b=c\nd",
        ]
        func run(_ words: [String], _ more: [String: String]) throws -> String {
            var spec = ChildSpec(
                words[0], Array(words.dropFirst()),
                environment: authctl.environment.merging(more.merging(odd) { $1 }) { $1 },
                directory: authctl.folder)
            spec.ignoredSignals = [SIGPIPE, SIGUSR1]
            let limited = "ulimit -Sc 0; ulimit -Sc $(ulimit -Hc); exec \"$@\""
            spec.arguments = ["-c", limited, "sh", spec.path] + spec.arguments
            spec.path = "/bin/bash"
            let result = try Command.run(spec)
            #expect(result.code == 0, "\(result.error)")
            return result.output
        }
        let direct = try run(["/bin/bash", "-c", script], [:])
        #expect(direct.contains("http_proxy"))
        #expect(try run([authctl.program, "exec"] + how + ["--", "/bin/bash", "-c", script], Self.supplied) == direct)
    }

    @Test func `the command of an exec finds its arguments byte for byte`() throws {
        try authctl.logIn("wire")
        let script = "exec \"$1\" exec -P wire -- printf '%s,' \"$(printf 'a\\377b')\" '' '--' -p \"$(printf '\\n x')\""
        let result = try Command.run(
            ChildSpec("/bin/bash", ["-c", script, "sh", authctl.program], environment: authctl.environment))
        #expect(result.outputBytes == Array("a".utf8) + [0xFF] + Array("b,,--,-p,\n x,".utf8))
    }

    @Test func `the token in a variable and at a descriptor that can only be read`() throws {
        try authctl.logIn("chat")
        let script = """
            read -r line <&7; test "$line" = "$TOKEN" || exit 1
            test "$(cat /dev/fd/7)" = "$TOKEN" || exit 2
            (echo x >&7) 2>/dev/null && exit 3
            curl -sS -H "Authorization: Bearer $TOKEN" $AUTHCTL_ORIGIN/_matrix/client/v3/account/whoami
            """
        let result = try authctl.run("exec", "-P", "chat", "--env", "TOKEN", "--fd", "7", "--", "bash", "-c", script)
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output == "{\"user_id\":\"@ann:demo.invalid\"}")
    }

    @Test(arguments: ["wire", "blog", "admin"]) func `no token where there is none: 102, and the way there is`(
        profile: String
    ) throws {
        for option in [["--env", "TOKEN"], ["--fd", "3"]] {
            let result = try authctl.run(["exec", "-P", profile] + option + ["--", "true"])
            #expect(result.code == 102)
            #expect(result.error.contains("--curl-config") && !result.error.contains("--header"), "\(result.error)")
        }
        #expect(try demo.requests().isEmpty)
    }

    @Test(arguments: [
        ("wire", "/account/verify_credentials.json"), ("blog", "/users/me"), ("screencast", "/home/index.json"),
        ("chat", "/_matrix/client/v3/account/whoami"), ("index", "/+api"), ("admin", "/api/me/"),
    ])
    func `a file with which curl carries the session, and nothing of it in curl's arguments`(
        profile: String, path: String
    )
        throws
    {
        try authctl.logIn(profile)
        let script = """
            curl -q -sS -K "$AUTHCTL_CURL_CONFIG" "$AUTHCTL_ORIGIN\(path)" && tr '\\0' ' ' < /proc/$$/environ
            """
        let result = try authctl.run("exec", "-P", profile, "--curl-config", "--", "bash", "-c", script)
        #expect(result.code == 0, "\(result.error)")
        #expect(result.output.contains("ann"), "\(result.output)")
        #expect(result.output.contains("AUTHCTL_CURL_CONFIG=/dev/fd/10"))
    }

    @Test
    func
        `the curl file of an exec holds a password full of quotes, and a header for requests that write`()
        throws
    {
        try authctl.logIn("wire", "bob", "pä:ss%wörd&+\"\\ünïcode")
        let curl = "curl -q -sS -K \"$AUTHCTL_CURL_CONFIG\" \"$AUTHCTL_ORIGIN"
        let bob = try authctl.run(
            "exec", "-P", "wire", "--curl-config", "--", "sh", "-c", "\(curl)/account/verify_credentials.json\"")
        #expect(bob.output.contains("bob"), "\(bob.output)\(bob.error)")
        try authctl.logIn("admin")
        let out = try authctl.run(
            "exec", "-P", "admin", "--curl-config", "--", "sh", "-c",
            "\(curl)/logout/\" -o /dev/null -w '%{http_code}' -d ''")
        #expect(["200", "204", "302"].contains(out.output), "\(out.output)\(out.error)")
        #expect(try authctl.run("whoami", "admin").code == 4)
    }

    @Test func `curl takes no proxy from an exec's file that authctl does not take`() throws {
        try authctl.logIn("wire")
        let curl = "curl -q -sS -K \"$AUTHCTL_CURL_CONFIG\" \"$AUTHCTL_ORIGIN/account/verify_credentials.json\""
        let elsewhere = ["http_proxy": "http://127.0.0.1:1", "all_proxy": "http://127.0.0.1:1"]
        let result = try authctl.run(
            "exec", "-P", "wire", "--curl-config", "--", "sh", "-c", curl, environment: elsewhere)
        #expect(result.code == 0 && result.output.contains("ann"), "\(result.error)")
    }

    @Test func `an exec's curl file carries no cookies to another host, and nothing over another scheme`() throws {
        let other = try RecordingServer([.answer(200)])
        defer { other.stop() }
        try authctl.logIn("blog")
        let elsewhere = "http://localhost:\(other.port)/"
        let result = try authctl.run(
            "exec", "-P", "blog", "--curl-config", "--", "sh", "-c",
            "curl -q -sS --noproxy '*' -K $AUTHCTL_CURL_CONFIG \(elsewhere); curl -q -sS -K $AUTHCTL_CURL_CONFIG https://127.0.0.1:1/"
        )
        #expect(result.code == 1, "\(result.error)")
        #expect(other.texts.count == 1)
        #expect(!other.texts.joined().lowercased().contains("cookie:"))
    }
}
