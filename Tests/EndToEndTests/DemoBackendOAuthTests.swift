import Foundation
@testable import LoginTestSupport
import Testing

/// The demo backend's authorization server, as a browser and a client see it: codes, tokens and what they are good for.
@Suite(.onOwnThreads) struct `The demo backend's OAuth` {
    let demo: DemoBackendProcess
    private let oauth: DemoOAuth

    init() throws {
        demo = try DemoBackendProcess()
        oauth = DemoOAuth(origin: demo.origin)
    }

    @Test func `the demo backend's OAuth is found from a refused request on`() throws {
        let resource = demo.origin + "/.well-known/oauth-protected-resource/notes"
        let refused = try Curl(demo.origin + "/notes/me")
        #expect(refused.status == 401)
        #expect(
            refused.headers["www-authenticate"] == "Bearer resource_metadata=\"\(resource)\", scope=\"notes:read\"")
        #expect(try Curl(resource).json("resource") == demo.origin + "/notes")
        #expect(try Curl(resource).json("authorization_servers", "0") == oauth.issuer)
        let metadata = try Curl(demo.origin + "/.well-known/oauth-authorization-server/id")
        #expect(metadata.json("issuer") == oauth.issuer)
        #expect(metadata.json("token_endpoint") == oauth.issuer + "/token")
        #expect(metadata.json("authorization_response_iss_parameter_supported") == "1")
        #expect(metadata.json("code_challenge_methods_supported", "0") == "S256")
        #expect(metadata.json("code_challenge_methods_supported", "1") == nil)
        #expect(metadata.json("protected_resources", "0") == demo.origin + "/notes")
        #expect(try Curl(demo.origin + "/.well-known/oauth-authorization-server").status == 404)
    }

    @Test func `the demo backend's OAuth gives a code for a person's consent, and tokens for the code`() throws {
        let page = try oauth.authorize(["login_hint": "a\"<nn"])
        #expect(page.status == 200)
        #expect(page.text.contains("<strong>authctl</strong>") && page.text.contains("read your notes"))
        #expect(page.text.contains("value=\"a&quot;&lt;nn\""))
        let policy = try #require(page.headers["content-security-policy"])
        #expect(policy.contains("default-src 'none'; form-action 'self' http://127.0.0.1:41873;"))
        #expect(page.headers["cache-control"] == "no-store" && page.headers["x-frame-options"] == "DENY")
        let answer = try oauth.answer(oauth.decide(page))
        #expect(answer["state"] == "s+& 1" && answer["iss"] == oauth.issuer)
        let tokens = try oauth.exchange(try #require(answer["code"]))
        #expect(tokens.json("token_type") == "Bearer" && tokens.json("expires_in") == "300")
        #expect(tokens.json("scope") == "openid notes:read")
        #expect(try oauth.get(tokens).json("name") == "ann")
    }

    @Test func `the demo backend's OAuth asks again after a wrong password, and a denial goes back`() throws {
        let page = try oauth.authorize()
        let again = try oauth.decide(page, password: "wrong")
        #expect(again.status == 200 && again.headers["location"] == nil)
        #expect(again.text.contains("Wrong user name or password"))
        #expect(try oauth.decide(page, name: "busy", password: "").headers["retry-after"] == "7")
        let denied = try oauth.answer(oauth.decide(again, "deny", password: ""))
        #expect(denied["error"] == "access_denied" && denied["code"] == nil)
        #expect(denied["state"] == "s+& 1" && denied["iss"] == oauth.issuer)
        #expect(try oauth.decide(page).status == 400, "the form was sent before")
    }

    @Test func `the demo backend's OAuth sends what is wrong with a request back to the client`() throws {
        let mistakes: [([String: String?], String)] = [
            (["response_type": "token"], "unsupported_response_type"), (["response_type": nil], "invalid_request"),
            (["code_challenge": nil], "invalid_request"), (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"), (["code_challenge": "short"], "invalid_request"),
            (["scope": "notes:read everything"], "invalid_scope"),
            (["resource": demo.origin + "/else"], "invalid_target"),
        ]
        for (changes, error) in mistakes {
            let answer = try oauth.answer(oauth.authorize(changes))
            #expect(answer["error"] == error, "\(changes)")
            #expect(answer["state"] == "s+& 1" && answer["iss"] == oauth.issuer)
        }
    }

    @Test func `the demo backend's OAuth sends nothing anywhere for a client or a redirect that it does not know`()
        throws
    {
        let redirects = [
            "http://127.0.0.1:1/callback", "http://127.0.0.1/callback", "http://[::1]:41873/callback",
            "http://localhost:80/callback",
        ]
        for redirect in redirects { #expect(try oauth.authorize(["redirect_uri": redirect]).status == 200) }
        let wrong: [[String: String?]] = [
            ["client_id": "nobody"], ["client_id": nil], ["redirect_uri": nil],
            ["redirect_uri": "http://127.0.0.1:41873/callback/"], ["redirect_uri": "http://127.0.0.1:41873/callback?x"],
            ["redirect_uri": "http://127.0.0.1.example:41873/callback"], ["redirect_uri": "https://127.0.0.1/callback"],
            ["redirect_uri": "http://a@127.0.0.1:41873/callback"],
            ["client_id": "desk:1", "redirect_uri": "http://[::1]/callback"],
        ]
        for changes in wrong {
            let answer = try oauth.authorize(changes)
            #expect(answer.status == 400 && answer.headers["location"] == nil, "\(changes)")
        }
        #expect(try Curl("\(oauth.issuer)/authorize?client_id=authctl&client_id=authctl").status == 400)
    }

    @Test func `the demo backend's OAuth takes a code once; used again it ends the tokens that it gave`() throws {
        let code = try oauth.code()
        let tokens = try oauth.exchange(code), other = try oauth.tokens()
        #expect(try oauth.get(tokens).status == 200)
        let again = try oauth.exchange(code)
        #expect(again.status == 400 && again.json("error") == "invalid_grant")
        #expect(try oauth.get(tokens).status == 401)
        #expect(try oauth.refresh(tokens).status == 400)
        #expect(try oauth.get(other).status == 200)
    }

    @Test func `the demo backend's OAuth takes a code with its verifier, its redirect and its client alone`() throws {
        let wrong: [[String: String?]] = [
            ["code_verifier": DemoOAuth.challenge], ["redirect_uri": "http://127.0.0.1:41874/callback"],
            ["client_id": "4711", "client_secret": "comes with the program"], ["code": "made up"],
        ]
        for changes in wrong {
            let answer = try oauth.exchange(oauth.code(), changes)
            #expect(["invalid_grant", "unauthorized_client"].contains(answer.json("error")), "\(changes)")
        }
        for missing in ["code_verifier", "redirect_uri", "code", "grant_type"] {
            #expect(try oauth.exchange(oauth.code(), [missing: nil]).json("error") == "invalid_request")
        }
        #expect(try oauth.exchange("", ["grant_type": "password"]).json("error") == "unsupported_grant_type")
    }

    @Test func `rotates refresh tokens; one that comes twice ends its family`() throws {
        let first = try oauth.tokens(), other = try oauth.tokens()
        let second = try oauth.refresh(first)
        #expect(second.status == 200 && second.json("refresh_token") != first.json("refresh_token"))
        #expect(try oauth.get(second).status == 200)
        #expect(try oauth.get(first).status == 401)
        #expect(try oauth.refresh(first).json("error") == "invalid_grant")
        #expect(try oauth.get(second).status == 401)
        #expect(try oauth.refresh(second).json("error") == "invalid_grant")
        #expect(try oauth.refresh(other).status == 200)
    }

    @Test func `the demo backend's OAuth lets tokens expire when asked to, and a refresh gives new ones`() throws {
        let late = try oauth.tokens(["ttl": "0"])
        #expect(late.json("expires_in") == "0")
        let refused = try oauth.get(late)
        #expect(refused.status == 401)
        #expect(refused.headers["www-authenticate"]?.contains("error=\"invalid_token\"") == true)
        #expect(try oauth.refresh(late).json("expires_in") == "0")
        let short = try Curl(
            "-d", "grant_type=authorization_code&client_id=authctl&code=\(oauth.code())", "--data-urlencode",
            "redirect_uri=\(DemoOAuth.redirect)", "-d", "code_verifier=\(DemoOAuth.verifier)",
            oauth.issuer + "/token?ttl=7")
        #expect(short.json("expires_in") == "7")
    }

    @Test func `the demo backend's OAuth gives no more than the scope and the resource that were approved`() throws {
        let reader = try oauth.tokens()
        let refused = try oauth.get(reader, "/notes", "-d", "milk")
        #expect(refused.status == 403)
        let challenge = try #require(refused.headers["www-authenticate"])
        #expect(challenge.contains("error=\"insufficient_scope\", scope=\"notes:write\""))
        #expect(try oauth.refresh(reader, ["scope": "notes:read notes:write"]).json("error") == "invalid_scope")
        let writer = try oauth.tokens(["scope": "notes:read notes:write"])
        #expect(try oauth.get(writer, "/notes", "-d", "milk").json("note") == "milk")
        #expect(try oauth.get(reader, "/notes").json("notes", "0", "author") == "ann")
        let narrower = try oauth.refresh(writer, ["scope": "notes:read"])
        #expect(narrower.json("scope") == "notes:read")
        #expect(try oauth.get(narrower, "/notes", "-d", "milk").status == 403)
        #expect(try oauth.get(oauth.refresh(narrower), "/notes", "-d", "milk").status == 201)
        let bound = try oauth.tokens(["scope": "notes:read watch", "resource": demo.origin + "/notes"])
        #expect(try oauth.get(bound).status == 200)
        #expect(try oauth.get(bound, "/tv/v1/status").status == 401)
        let usual = try oauth.tokens(["scope": nil])
        #expect(usual.json("scope") == "notes:read")
    }

    @Test func `the demo backend's OAuth tells a suspended account from a scope that is too small`() throws {
        let page = try oauth.authorize()
        let answer = try oauth.answer(oauth.decide(page, name: "forbidden", password: "forbidden fruit"))
        let refused = try oauth.get(oauth.exchange(try #require(answer["code"])))
        #expect(refused.status == 403 && refused.headers["www-authenticate"] == nil)
    }
}
