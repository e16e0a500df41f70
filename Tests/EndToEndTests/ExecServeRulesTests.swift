import Foundation
@testable import LoginTestSupport
import Testing

/// How a command is lent the login.
enum ServeWay: String, CaseIterable {
    case serve, unchanged
}

/// `exec` with rules: what its command may not do never reaches the service, whichever way it goes.
@Suite(.onOwnThreads, RealServer.require("openssl")) struct `An exec that serves by rules` {
    let demo: DemoBackendProcess
    let named: NamedService
    let authctl: Installation

    init() throws {
        demo = try DemoBackendProcess()
        named = try NamedService(at: demo.origin)
        authctl = try Installation()
        try configure()
        try authctl.logIn("blog")
    }

    /// The demo server's profile, behind TLS.
    private func configure(_ more: String = "") throws {
        let tls = "[profiles.blog]\n\(named.keys)\n\(more)\n"
        try authctl.home.write(
            "store = \"plaintext\"\n"
                + demo.profiles().replacing(demo.origin, with: NamedService.origin).replacing(
                    "[profiles.blog] ", with: tls),
            to: "config/authctl/config.toml")
    }

    /// Requests of `send METHOD PATH [curl's options]`: each prints status and code of a refusal.
    private func serve(_ script: String, _ options: String..., by way: ServeWay = .serve) throws -> CommandResult {
        let send = """
            root=${AUTHCTL_SERVE_URL:-$AUTHCTL_ORIGIN}
            root=${root%/}
            send() {
                local method=$1 path=$2; shift 2
                curl -q -sS --path-as-is -o out -w '%{http_code}' -X "$method" "$@" "$root$path"
                [[ $method == HEAD ]] || grep -o '"code":"[a-z-]*"' out | cut -d '"' -f 4 | sed 's/^/ /' | tr -d '\\n'; echo
            }

            """
        return try authctl.run(
            ["exec", "-P", "blog", "--\(way.rawValue)"] + options + ["--", "bash", "-c", send + script], within: 120)
    }

    /// What the service saw after the login was verified.
    private func seen() throws -> [String] {
        try demo.requests().drop { $0.path != "/users/me" }.map { "\($0.method) \($0.path)" }
            .filter { $0 != "GET /users/me" && $0 != "POST /users/login" }
    }

    @Test(arguments: ServeWay.allCases)
    func `without rules everything passes, as before`(way: ServeWay) throws {
        let result = try serve("send DELETE /x//y; send POST '/x?_method=PUT' -d _method=DELETE", by: way)
        #expect(result.output == "404\n404\n", "\(result.error)")
        #expect(try seen() == ["DELETE /x//y", "POST /x"])
    }

    @Test(arguments: ServeWay.allCases)
    func `lets nothing but reading through with --read-only`(way: ServeWay) throws {
        let result = try serve(
            """
            send GET /a; send OPTIONS /a; send HEAD /a --head
            for method in POST PUT PATCH DELETE PROPFIND get; do send $method /a; done
            """, "--read-only", by: way)
        #expect(
            result.output == "404\n404\n404\n" + String(repeating: "403 not-allowed\n", count: 6), "\(result.error)")
        #expect(try seen() == ["GET /a", "OPTIONS /a", "HEAD /a"])
    }

    @Test(arguments: ServeWay.allCases)
    func `tells a refused command in JSON what it may do`(way: ServeWay) throws {
        let result = try serve(
            "curl -q -sS -D head --suppress-connect-headers -X DELETE \"$root/issues/1?x=y\"; grep -i '^content-type\\|^HTTP' head",
            "--allow", "GET,HEAD /**", "--allow", "POST /issues/*/comments", by: way)
        #expect(
            result.output.replacing("\r\n", with: "\n") == """
                {"error":{"code":"not-allowed","message":"no rule allows DELETE /issues/1","method":"DELETE",\
                "path":"/issues/1","allowed":["GET,HEAD /**","POST /issues/*/comments"]}}
                HTTP/1.1 403 Forbidden
                Content-Type: application/json

                """, "\(result.error)")
        #expect(try seen().isEmpty)
    }

    @Test(arguments: ServeWay.allCases)
    func `goes by deny first, then ask, then allow`(way: ServeWay) throws {
        let result = try serve(
            """
            send POST /issues/1/comments -d a=b; send POST /issues/1/2/comments; send POST /issues/1
            send DELETE /issues/1; send GET /admin/x; send GET /ADMIN/x/; send GET /admin.json; send GET /adm
            """, "--allow", "GET /**", "--allow", "POST /issues/*/comments", "--ask", "DELETE /issues/*", "--deny",
            "* /admin/**", "--prompt-timeout", "5", by: way)
        #expect(
            result.output
                == "404\n403 not-allowed\n403 not-allowed\n403 needs-approval\n"
                + String(repeating: "403 not-allowed\n", count: 3) + "404\n", "\(result.error)")
        #expect(try seen() == ["POST /issues/1/comments", "GET /adm"])
    }

    @Test(arguments: ServeWay.allCases)
    func `judges the path that is sent, and refuses one that services read in different ways`(way: ServeWay) throws {
        let ambiguous = [
            "/a/../b", "/a/%2e%2E/b", "/a/.%2e", "/a%5Cb", "/a%00b", "/a%0Ab", "/a//b", "/a;b/c", "/a%3Bb", "/a%C0%AEb",
            "/a%FF", "/a%252Fb", "/%", "/a%2F..%2Fb",
        ]
        let script =
            ambiguous.map { "send GET '\($0)'" } + [
                "send GET /a/group%2Fname", "send GET /a/b%2Fc/d", "send GET /b%2Fc", "send GET '/a/%C3%A4?x=../%00'",
            ]
        let result = try serve(script.joined(separator: "\n"), "--allow", "GET /a/*", "--allow", "GET /a/*/*", by: way)
        let lines = result.output.split(separator: "\n").map(String.init)
        #expect(lines.prefix(ambiguous.count).allSatisfy { $0 == "400 ambiguous-path" }, "\(lines)")
        #expect(
            Array(lines.dropFirst(ambiguous.count)) == ["404", "403 not-allowed", "403 not-allowed", "404"],
            "\(result.error)")
        #expect(try seen() == ["GET /a/group%2Fname", "GET /a/%C3%A4"], "what passes is sent as it was written")
    }

    @Test(arguments: ServeWay.allCases)
    func `refuses what changes the method or the path for some services`(way: ServeWay) throws {
        let headers = [
            "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Original-URL", "X-Rewrite-URL",
            "X-Forwarded-Prefix", "x_http_method_override",
        ]
        let script =
            headers.map { "send GET /a -H '\($0): DELETE'" } + [
                "send GET '/a?_method=DELETE'", "send POST '/a?x&%5Fmethod=DELETE'",
                "send MOVE /a -H \"Destination: $root/b\"", "send MOVE /a -H \"Destination: $root/a/c\"",
                "send MOVE /a -H 'Destination: \(demo.origin)/a/c'", "send POST /a -d _method=delete",
                "send POST /a -H 'Content-Type: application/json' -d '{\"\\u005fmethod\": \"DELETE\"}'",
                "send POST /a -F a=b -F _method=DELETE", "send POST /a -F _method=PUT",
                "send POST /a -H 'Content-Encoding: gzip' -d x=y",
                "send POST /a -H 'Content-Type: application/json; charset=utf-16' -d x=y", "send POST /a -d x=y",
                "send POST /a -H 'Content-Type: text/plain' -d _method=DELETE",
            ]
        let result = try serve(
            script.joined(separator: "\n"), "--allow", "GET,POST,MOVE /a", "--allow", "PUT /a/*", "--allow", "PUT /a",
            by: way)
        let expected =
            Array(repeating: "400 override", count: 9) + [
                "403 not-allowed", "404", "400 override", "403 not-allowed", "403 not-allowed", "403 not-allowed",
                "404",
                "400 unreadable-body", "400 unreadable-body", "404", "403 not-allowed",
            ]
        #expect(result.output.split(separator: "\n").map(String.init) == expected, "\(result.error)")
        let seen = try seen()
        // The demo server knows no MOVE, and does not log it.
        #expect(seen == ["POST /a", "POST /a"])
    }

    @Test func `refuses a request with a NUL, wherever it stands in its first line`() throws {
        let client = try authctl.file(
            "nul.py",
            #"""
            import os, socket, urllib.parse
            url = urllib.parse.urlsplit(os.environ["AUTHCTL_SERVE_URL"])
            for line in ["GET R/a\0/admin", "GET R/a\0", "GET R/a?x\0y", "GET R/a?\0", "GET\0X R/a", "GET R\0/a", "GET R/a"]:
                with socket.create_connection((url.hostname, url.port)) as s:
                    text = line.replace("R", url.path.rstrip("/"))
                    s.sendall(f"{text} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n".encode())
                    print((s.recv(65536).decode() + " -").split(" ")[1], flush=True)
            """#)
        let result = try serve("python3 \(client)", "--allow", "* /**")
        let answers = result.output.split(separator: "\n")
        // libmicrohttpd 1.0 closes such a connection by itself, without an answer.
        let isRefused = answers == ["400", "400", "400", "400", "400", "403", "404"]
        let isClosed = answers == ["-", "-", "-", "-", "-", "-", "404"]
        #expect(isRefused || isClosed, "\(result.output)\(result.error)")
        #expect(try seen() == ["GET /a"])
    }

    @Test(arguments: ServeWay.allCases)
    func `searches the first 64 KiB of a body, and streams the rest`(way: ServeWay) throws {
        let result = try serve(
            """
            (printf a=; head -c 3000000 /dev/zero | tr '\\0' x) > long; (printf '_method=PUT&'; cat long) > worse
            send POST /a --data-binary @long; send POST /a --data-binary @worse
            send POST /a -T - < long; send POST /a -H 'Transfer-Encoding: chunked' --data-binary @worse
            """, "--allow", "POST /a", by: way)
        #expect(result.output == "404\n403 not-allowed\n404\n403 not-allowed\n", "\(result.error)")
        #expect(try seen() == ["POST /a", "POST /a"])
    }

    @Test(arguments: ServeWay.allCases)
    func `takes a WebSocket for the method WEBSOCKET alone`(way: ServeWay) throws {
        let ask = """
            -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' \
            -H 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=='
            """
        let result = try serve("send GET /a \(ask); send GET /a", "--read-only", by: way)
        #expect(result.output == "403 not-allowed\n404\n", "\(result.error)")
        let other = try serve("send GET /b \(ask); send GET /b; send WEBSOCKET /b", "--allow", "WEBSOCKET /b", by: way)
        #expect(other.output == "404\n403 not-allowed\n403 not-allowed\n", "\(other.error)")
        #expect(try seen() == ["GET /a", "GET /b"])
    }

    @Test(arguments: ServeWay.allCases)
    func `the rules of the profile and those of the command line both have to let a request through`(way: ServeWay)
        throws
    {
        try configure("serve = { allow = [\"GET /**\", \"POST /a\"], ask = [\"GET /c\"] }")
        let result = try serve(
            "send GET /a; send POST /a; send GET /b; send PUT /a; send GET /c", "--allow", "GET,PUT /a", "--allow",
            "GET /c", by: way)
        #expect(
            result.output == "404\n403 not-allowed\n403 not-allowed\n403 not-allowed\n403 needs-approval\n",
            "\(result.error)")
        let alone = try serve("send POST /a; send GET /b; send PUT /a", by: way)
        #expect(alone.output == "404\n404\n403 not-allowed\n", "\(alone.error)")
        #expect(try seen() == ["GET /a", "POST /a", "GET /b"])
    }

    @Test(arguments: ServeWay.allCases)
    func `the profile can switch the search of bodies off`(way: ServeWay) throws {
        try configure("serve = { allow = [\"POST /a\"], overrides = false }")
        let result = try serve("send POST /a -d _method=DELETE; send POST /a -H 'X-HTTP-Method: PUT' -d x", by: way)
        #expect(result.output == "404\n400 override\n", "\(result.error)")
    }

    @Test(arguments: ServeWay.allCases)
    func `judges GraphQL by its root fields, and notes them in the log`(way: ServeWay) throws {
        try configure("graphql = \"/graphql\"")
        let result = try serve(
            """
            post() { send POST "$1" -H 'Content-Type: application/json; charset=utf-8' -d "$2"; }
            post /graphql '{"query":"query Q{viewer{login}}"}'
            post /graphql '{"query":"mutation{a:addComment(b:1){id}}"}'
            post /graphql '{"query":"mutation{addComment{id} deleteRef{id}}"}'
            post /GraphQL/ '{"query":"mutation{deleteRef{id}}"}'
            post /graphql '{"query":"{viewer{id}}","query":"mutation{deleteRef{id}}"}'
            post /graphql '{"extensions":{"persistedQuery":{"version":1}}}'
            post /graphql.json 'query={viewer}'
            post /graphqls '{"query":"{viewer{id}}"}'
            send POST /graphql -F query='{viewer}'
            send GET '/graphql?query=%7Bviewer%7D'
            send GET '/graphql?query=mutation%7BdeleteRef%7D'
            send GET /graphql -H 'Upgrade: websocket' -H 'Connection: Upgrade' -H 'Sec-WebSocket-Version: 13'
            """, "--read-only", "--allow", "GRAPHQL mutation addComment", "--log", authctl.folder + "/log", by: way)
        let expected = [
            "404", "404", "403 not-allowed", "403 not-allowed", "400 unreadable-graphql", "400 unreadable-graphql",
            "400 unreadable-graphql", "403 not-allowed", "400 unreadable-graphql", "404", "400 unreadable-graphql",
            "400 unreadable-graphql",
        ]
        #expect(result.output.split(separator: "\n").map(String.init) == expected, "\(result.error)")
        #expect(try seen() == ["POST /graphql", "POST /graphql", "GET /graphql"])
        let log = try String(contentsOfFile: authctl.folder + "/log", encoding: .utf8)
        for text in ["query Q { viewer }", "mutation { addComment }", "mutation { addComment deleteRef }"] {
            #expect(log.contains("\"operations\":[\"\(text)\"]"), "\(log)")
        }
    }

    @Test func `rules for GraphQL need an endpoint: 102`() throws {
        let result = try authctl.run(
            ["exec", "-P", "blog", "--serve", "--allow", "GRAPHQL query *", "--", "touch", "ran"])
        #expect(result.code == 102 && result.error.contains("\"blog\" names none"), "\(result.error)")
        #expect(!authctl.hasFile("ran"))
    }

    @Test(arguments: [
        (["--allow", "GET"], "--allow \"GET\": a rule is METHODS PATH"),
        (["--ask", "GRAPHQL mutation"], "--ask \"GRAPHQL mutation\": a rule for GraphQL is"),
        (["--deny", "get /x"], "--deny \"get /x\": methods are written in capitals"),
        (["--ask", "GET x"], "--ask \"GET x\": the path must begin with '/'"),
        (Array(repeating: "--allow=GET /", count: 257), "at most 256 rules"),
    ]) func `what is no rule is 102, with the option`(options: [String], expected: String) throws {
        let result = try authctl.run(["exec", "-P", "blog", "--serve"] + options + ["--", "touch", "ran"])
        #expect(result.code == 102 && result.error.contains(expected), "\(result.error)")
        #expect(!authctl.hasFile("ran"))
    }

    @Test(arguments: [["--read-only"], ["--allow=GET /"], ["--ask=GET /"], ["--deny=GET /"]])
    func `rules need --serve: 102`(options: [String]) throws {
        let result = try authctl.run(["exec", "-P", "blog"] + options + ["--", "touch", "ran"])
        #expect(result.code == 102 && result.error.contains("--serve"), "\(result.error)")
        #expect(!authctl.hasFile("ran"))
    }
}
