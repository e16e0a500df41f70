import Foundation
@testable import LoginTestSupport
import Testing

/// The tokens of the demo backend that end: by time, by use, by logout.
@Suite(.onOwnThreads) struct `The demo backend's tokens` {
    let demo: DemoBackendProcess

    init() throws {
        demo = try DemoBackendProcess()
    }

    private var chat: String { demo.origin + "/_matrix/client/v3" }
    private var home: String { demo.origin + "/home/index.json" }

    @Test func `come from a posted form, with the moment of their end`() throws {
        let answer = try screencast("ann", "correct horse")
        let token = try #require(answer.json("auth_token"))
        let end = try Date(try #require(answer.json("expires_at")), strategy: .iso8601)
        #expect((3500...3700).contains(end.timeIntervalSinceNow))
        let home = try Curl("-H", "auth_token: \(token)", home)
        #expect(home.json("user", "username") == "ann")
        #expect(home.json("message")?.contains("ann") == true)
    }

    @Test func `come for names and passwords of every kind`() throws {
        for (name, password) in [
            ("bob", "pä:ss%wörd&+\"\\ünïcode"), ("zoë müller@wire", "  blank ends "), ("guest", ""),
        ] {
            let token = try #require(try screencast(name, password).json("auth_token"))
            #expect(try Curl("-H", "auth_token: \(token)", home).json("user", "username") == name)
        }
    }

    @Test func `the demo backend's tokens do not come for a wrong password`() throws {
        let answer = try screencast("ann", "wrong")
        #expect(answer.status == 401)
        #expect(answer.json("error") == "Invalid user name or password")
        #expect(try Curl("-H", "auth_token: made up", home).status == 401)
        #expect(try Curl(home).status == 401)
    }

    @Test func `expire when the query says so`() throws {
        let token = try #require(try screencast("ann", "correct horse", ttl: "?ttl=3").json("auth_token"))
        #expect(try Curl("-H", "auth_token: \(token)", home).status == 200)
        var late = try Curl("-H", "auth_token: \(token)", home)
        let hasExpired = try eventually {
            late = try Curl("-H", "auth_token: \(token)", home)
            return late.status == 401
        }
        #expect(hasExpired)
        #expect(late.json("error") == "This token has expired")
    }

    @Test func `the demo backend's tokens are refused by the chat with 403 and words`() throws {
        let answer = try logIn(password: "wrong")
        #expect(answer.status == 403)
        #expect(answer.json("errcode") == "M_FORBIDDEN")
        #expect(answer.json("error") == "Invalid username or password")
    }

    @Test func `name the person as the chat does, not as they typed it`() throws {
        let answer = try logIn()
        #expect(answer.json("expires_in_ms") == "300000")
        #expect(try whoami(answer.json("access_token")).json("user_id") == "@ann:demo.invalid")
        #expect(try Curl(chat + "/account/whoami").json("errcode") == "M_MISSING_TOKEN")
    }

    @Test func `rotate: a refresh gives a new pair and ends the old one`() throws {
        let first = try logIn()
        let second = try refresh(first.json("refresh_token"))
        #expect(second.status == 200)
        #expect(second.json("refresh_token") != first.json("refresh_token"))
        #expect(try whoami(first.json("access_token")).status == 401)
        #expect(try whoami(second.json("access_token")).status == 200)
        #expect(try refresh(second.json("refresh_token")).status == 200)
    }

    @Test func `end as a family when a refresh token is used again`() throws {
        let first = try logIn()
        let other = try logIn()
        let second = try refresh(first.json("refresh_token"))
        let reused = try refresh(first.json("refresh_token"))
        #expect(reused.status == 401)
        #expect(reused.json("errcode") == "M_UNKNOWN_TOKEN")
        #expect(try whoami(second.json("access_token")).status == 401)
        #expect(try refresh(second.json("refresh_token")).status == 401)
        #expect(try whoami(other.json("access_token")).status == 200)
    }

    @Test func `expire in the chat, and come back by a refresh`() throws {
        let login = try logIn(ttl: "?ttl=0")
        let late = try whoami(login.json("access_token"))
        #expect(late.status == 401)
        #expect(late.json("soft_logout") == "1")
        #expect(try refresh(login.json("refresh_token")).status == 200)
    }

    @Test func `end at the chat's logout, the refresh token too`() throws {
        let login = try logIn()
        let token = try #require(login.json("access_token"))
        #expect(try Curl("-X", "POST", "-H", "Authorization: Bearer \(token)", chat + "/logout").status == 200)
        #expect(try whoami(token).status == 401)
        #expect(try refresh(login.json("refresh_token")).status == 401)
    }

    private func screencast(_ name: String, _ password: String, ttl: String = "") throws -> Curl {
        try Curl(
            "--data-urlencode", "username=\(name)", "--data-urlencode", "password=\(password)",
            demo.origin + "/auth/login.json" + ttl)
    }

    private func logIn(password: String = "correct horse", ttl: String = "") throws -> Curl {
        let body = """
            {"type": "m.login.password", "identifier": {"type": "m.id.user", "user": "ann"},
             "password": "\(password)", "refresh_token": true}
            """
        return try Curl("-H", "Content-Type: application/json", "-d", body, chat + "/login" + ttl)
    }

    private func refresh(_ token: String?) throws -> Curl {
        let body = try #"{"refresh_token": "\#(#require(token))"}"#
        return try Curl("-H", "Content-Type: application/json", "-d", body, chat + "/refresh")
    }

    private func whoami(_ token: String?) throws -> Curl {
        try Curl("-H", "Authorization: Bearer \(#require(token))", chat + "/account/whoami")
    }
}
