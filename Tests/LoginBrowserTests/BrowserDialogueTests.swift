import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// A grant in a browser, as a person at a terminal sees it.
@Suite(.onOwnThreads) struct BrowserDialogueTests {
    private static let besides = "Or paste the address at which the browser ended: "
    private static let right = "/callback?code=c0de&state=\(LoopbackScene.state)"
    private static let ssh = ["SSH_CONNECTION": "198.51.100.4 50000 192.0.2.7 22", "USER": "ann"]
    private static let opening = ["It asks for: openid notes:read"]

    private static func first(_ place: String) -> String {
        "Log in to notes (https://notes.example) at https://id.example, \(place)."
    }

    private static let carrying = [
        "Your browser may end on a page that will not load; that is expected.",
        "Copy the full URL from the address bar and paste it here. It begins with",
        "http://127.0.0.1:PORT/callback?",
    ]

    @Test func `at a desktop the browser is started, and its answer takes the question away`() throws {
        let home = try TemporaryHome()
        let browser = try home.write("#!/bin/sh\necho \"$1\" > ~/url\n", to: "bin/browser", mode: 0o755)
        let visit = try AuthorizationVisit("--starts", home: home, columns: 120, environment: ["BROWSER": browser])
        try visit.pty.wait(for: Self.besides)
        #expect(try visit.answer.first?.hasSuffix(" open can start") == true)
        #expect(try visit.home.read("url") == AuthorizationVisit.url + "\n")
        visit.pty.type("half")
        try visit.pty.wait(for: "****")
        #expect(try visit.get(Self.right).contains("<p>You can close this tab and return to the terminal.</p>"))
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
        #expect(
            try visit.screen == [
                Self.first("in the browser"), Self.opening[0],
                "A browser was started. If nothing shows, or to use another one, open:", AuthorizationVisit.url, "",
            ])
    }

    @Test func `an address that was wrapped is pasted as one`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        let address = try visit.right, middle = address.index(address.startIndex, offsetBy: 40)
        visit.pty.type("\u{1B}[200~\(address[..<middle])\r\n\(address[middle...])\n\u{1B}[201~\r")
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
    }

    @Test func `without a browser the whole address is pasted`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        #expect(try visit.answer.first?.hasSuffix(" open cannot start") == true)
        visit.pty.type("\u{1B}[200~\(try visit.right)\n\u{1B}[201~\r")
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
        #expect(
            try visit.screen.dropLast(2) == [Self.first("in a browser anywhere"), Self.opening[0], "Open:"]
                + [AuthorizationVisit.url] + Self.carrying)
        #expect(try visit.screen.suffix(2).first?.hasPrefix("Address: *****") == true)
    }

    @Test(arguments: [
        ("http://127.0.0.1", "22", "ssh -N -L PORT:127.0.0.1:PORT ann@192.0.2.7"),
        ("http://localhost", "2222", "ssh -p 2222 -N -L PORT:localhost:PORT ann@192.0.2.7"),
        ("http://[::1]", "22", "ssh -N -L 'PORT:[::1]:PORT' ann@192.0.2.7"),
    ]) func `by ssh there is the command for a tunnel, too`(redirect: String, port: String, command: String) throws {
        let connection = "198.51.100.4 50000 192.0.2.7 \(port)"
        let visit = try AuthorizationVisit(
            "--redirect", redirect + "/callback", columns: 160,
            environment: ["SSH_CONNECTION": connection, "USER": "ann", "DISPLAY": ":0"])
        try visit.pty.wait(for: "\nAddress: ")
        #expect(try visit.answer.first?.hasSuffix(" open cannot start") == true)
        #expect(try visit.screen.contains("Or, beforehand, where the browser is: \(command)"))
        visit.pty.type("\u{4}")
        try visit.finish(.exited(5))
    }

    @Test func `by ssh the command has a line of its own where it does not fit`() throws {
        let visit = try AuthorizationVisit(columns: 80, environment: Self.ssh)
        try visit.pty.wait(for: "\nAddress: ")
        let screen = try visit.screen, words = "Or, beforehand, where the browser is:"
        #expect(screen.contains(words) && screen.contains("ssh -N -L PORT:127.0.0.1:PORT ann@192.0.2.7"))
        #expect(screen.contains("Your browser may end on a page that will not load; that is expected."), "\(screen)")
        visit.pty.type("\u{4}")
        try visit.finish(.exited(5))
    }

    @Test(arguments: [
        "$(touch x) 1 $(touch y) 22", "a 1 -oProxyCommand=x 22", "a 1 192.0.2.7 0", "a 1 192.0.2.7", "a 1 b;c 22",
    ]) func `what is no connection of ssh makes no command`(connection: String) throws {
        let visit = try AuthorizationVisit(columns: 120, environment: ["SSH_CONNECTION": connection])
        try visit.pty.wait(for: "\nAddress: ")
        #expect(!visit.pty.text.contains("ssh"))
        visit.pty.type("\u{4}")
        try visit.finish(.exited(5))
    }

    @Test func `a browser that does not start is told, and the address is pasted`() throws {
        let visit = try AuthorizationVisit("--starts", "--browser", "/nowhere/x -y", columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        visit.pty.type(try visit.right + "\r")
        try visit.finish()
        #expect(try visit.screen[2] == "The browser could not be started: /nowhere/x (not found).")
        #expect(try visit.screen[3...7].elementsEqual(["Open:", AuthorizationVisit.url] + Self.carrying))
    }

    @Test func `where the server refused a code, that is said first`() throws {
        let visit = try AuthorizationVisit("--instead", columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        #expect(try visit.screen[0] == "The server gives this client no code, so a browser has to come back here.")
        visit.pty.type("\u{4}")
        try visit.finish(.exited(5))
    }

    @Test func `a fixed port that is taken leaves pasting alone`() throws {
        let scene = try LoopbackScene()
        let redirect = "http://127.0.0.1:\(scene.port)/callback"
        let visit = try AuthorizationVisit("--redirect", redirect, columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        #expect(try visit.answer.first?.hasSuffix(" taken cannot start") == true)
        #expect(
            try visit.screen.contains(
                "Port PORT is in use here, so the answer cannot arrive by itself: paste the address."))
        visit.pty.type("\(redirect)?code=c0de&state=\(LoopbackScene.state)\r")
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
    }

    @Test func `wrong addresses are said why, and asked for again`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        let redirect = try visit.redirect
        let reasons = [
            ("", "Nothing was pasted: copy the whole line."), ("c0de", "it begins differently"),
            ("https://id.example/done", "it begins differently"),
            (AuthorizationVisit.url, "That is the address to open: paste the one at which the browser ended."),
            (redirect, "its 'state' is missing"), ("\(redirect)?code=c", "its 'state' is missing"),
            ("\(redirect)?code=c&state=x", "it has another state"),
            (
                "\(redirect)?code=c&code=d&state=\(LoopbackScene.state)",
                "The response in that address cannot be used: it has 'code' twice. Open the URL again, and paste the new address."
            ),
            ("\(redirect)?code=c&state=\(LoopbackScene.state)&iss=https://evil.example", "it is from another server"),
        ]
        for (text, reason) in reasons {
            try visit.pty.wait(for: "Address: ")
            visit.pty.type(text + "\r")
            let words =
                reason.hasSuffix(".")
                ? reason : "That is not the address of this login (\(reason)): copy the whole line."
            try visit.pty.wait(for: words + "\r\n")
        }
        try visit.pty.wait(for: "Address: ")
        visit.pty.type(try visit.right + "\r")
        try visit.finish()
        #expect(try visit.answer.count { $0.hasPrefix("not an address") } == 9)
        #expect(try visit.answer.last == "code c0de")
    }

    @Test func `forged answers end nothing, and what is typed meanwhile stays`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        let text = Array(try visit.right),
            forgeries = ["/favicon.ico", "/callback?code=c&state=x", Self.right + "&code=d"]
        for (index, character) in text.enumerated() {
            visit.pty.type(String(character))
            if index.isMultiple(of: 8) { #expect(try visit.get(forgeries[index / 8 % 3]).hasPrefix("HTTP/1.1 4")) }
        }
        visit.pty.type("\r")
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
        #expect(try visit.screen.count { $0 == "Ignored a response that belongs to another login." } == 1)
        let twice = "Ignored the response to this login: it has 'code' twice. Open the URL again."
        #expect(try visit.screen.count { $0 == twice } == 1)
        let line = try visit.screen.suffix(2).first ?? ""
        #expect(line == "Address: " + String(repeating: "*", count: min(text.count, 110)))
    }

    @Test func `a port that was closed before an answer is said, and the address is pasted`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        let socket = try ListeningSocket(port: visit.port)
        for _ in 1...AuthorizationFlow.mostForgeries {
            #expect(try visit.get(Self.right + "&code=another").hasPrefix("HTTP/1.1 400 "))
        }
        try visit.pty.wait(for: "The port is closed; paste the address.\r\n")
        try visit.pty.wait(for: "Address: ")
        #expect(try socket.isClosed())
        visit.pty.type(try visit.right + "\r")
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
        #expect(try visit.screen.count { $0.contains("The port is closed") } == 1)
    }

    @Test func `a paste of sixteen KiB is taken while many come to the port`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        let start = try visit.right + "&more="
        let text = start + String(repeating: "x", count: (16 << 10) - start.utf8.count), port = try visit.port
        let clients = (0..<20).map { _ in LoopbackClient(port: port) }
        for client in clients { client?.get("/other", host: "127.0.0.1:\(port)") }
        visit.pty.type("\u{1B}[200~" + text + "\u{1B}[201~")
        visit.pty.watch(milliseconds: 300)
        visit.pty.type("\r")
        try visit.finish()
        #expect(try visit.answer.last == "code c0de")
    }

    @Test func `Ctrl-C ends it by its signal, and nobody is listened to`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        let socket = try ListeningSocket(port: visit.port)
        visit.pty.type("abc")
        try visit.pty.wait(for: "***")
        visit.pty.type("\u{3}")
        try visit.finish(.signalled(SIGINT))
        #expect(try socket.isClosed())
    }

    @Test func `Ctrl-D is a no`() throws {
        let visit = try AuthorizationVisit(columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        visit.pty.type("\u{4}")
        try visit.finish(.exited(5))
    }

    @Test func `when the time is up the question is gone, and a hint came before`() throws {
        let visit = try AuthorizationVisit("--seconds", "6", "--silence", "1", columns: 120)
        try visit.pty.wait(for: "\nAddress: ")
        visit.pty.type("abc")
        try visit.pty.wait(for: "has to be registered")
        visit.pty.type("def")
        try visit.pty.wait(for: "******")
        try visit.finish()
        #expect(try visit.answer.last == "nothing")
        #expect(
            try visit.screen.suffix(2) == [
                "If the browser shows an error: http://127.0.0.1:PORT/callback has to be registered for the client authctl.",
                "",
            ])
    }

    @Test func `a narrow terminal has a short question`() throws {
        let home = try TemporaryHome()
        let browser = try home.write("#!/bin/sh\n", to: "bin/browser", mode: 0o755)
        let visit = try AuthorizationVisit("--starts", home: home, columns: 40, environment: ["BROWSER": browser])
        try visit.pty.wait(for: "\nAddress: ")
        #expect(visit.pty.text.contains(AuthorizationVisit.url))
        _ = try visit.get(Self.right)
        try visit.finish()
        #expect(!(try visit.screen.contains { $0.hasPrefix("Address") }))
    }

    @Test func `without a person lines are said, and the port alone is waited for`() throws {
        let visit = try AuthorizationVisit("--no-person", environment: Self.ssh)
        #expect(try eventually { try visit.answer.contains { $0.contains("where the browser is") } })
        #expect(try visit.get("/other").hasPrefix("HTTP/1.1 404 "))
        _ = try visit.get(Self.right)
        try visit.finish()
        #expect(visit.pty.transcript.isEmpty)
        let number = String(try visit.port)
        #expect(
            try visit.answer.dropFirst().map { $0.replacing(number, with: "PORT") } == [
                "said " + Self.first("in a browser anywhere"), "said " + Self.opening[0], "said Open:",
                "said " + AuthorizationVisit.url,
                "said Beforehand, where the browser is: ssh -N -L PORT:127.0.0.1:PORT ann@192.0.2.7", "refused path",
                "code c0de",
            ])
    }
}
