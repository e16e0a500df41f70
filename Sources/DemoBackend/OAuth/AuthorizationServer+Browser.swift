import Foundation

/// What a person does in a browser.
extension AuthorizationServer {
    /// The authorization endpoint (RFC 6749, 3.1). Nothing goes back to an address that is not the client's own.
    mutating func authorize(_ call: Call) -> Reply {
        guard let parameters = try? Parameters(formEncoded: call.rawQuery) else {
            return Self.stranded("The address is broken.")
        }
        if let uri = parameters["request_uri"] { return authorize(pushedAt: uri, parameters, call) }
        guard let client = clients[parameters["client_id"]] else {
            return Self.stranded("No such client is known here.")
        }
        guard let uri = parameters["redirect_uri"], client.accepts(redirect: uri) else {
            return Self.stranded("This redirect_uri is not registered for the client \(client.name).")
        }
        let redirect = Redirect(uri: uri, state: parameters["state"], issuer: call.issuer)
        do throws(OAuthError) {
            let request = try AuthorizationRequest(parameters, client, redirect)
            return ask(.browser(request, requestURI: nil), name: request.loginHint ?? "")
        } catch {
            return redirect.answer(error)
        }
    }

    private mutating func authorize(pushedAt uri: String, _ parameters: Parameters, _ call: Call) -> Reply {
        guard let found = pushed[uri], found.end > call.now,
            found.request.terms.clientID == parameters["client_id"]
        else { return Self.stranded("This request_uri is unknown, or has expired.") }
        return ask(.browser(found.request, requestURI: uri), name: found.request.loginHint ?? "")
    }

    /// The page where a device's code is entered (RFC 8628, 3.3).
    mutating func device(_ call: Call) -> Reply {
        guard let parameters = try? Parameters(formEncoded: call.rawQuery), let typed = parameters["user_code"] else {
            return BrowserPage.userCode()
        }
        guard let device = devices.waiting(forUserCode: typed, now: call.now) else {
            return BrowserPage.userCode(words: "This code is unknown, or has expired.", status: 404)
        }
        return ask(.device(device))
    }

    private mutating func ask(_ source: ConsentSource, name: String = "") -> Reply {
        let request = Token.fresh("consent")
        consents[request] = source
        return page(source, request, name: name)
    }

    private func page(
        _ source: ConsentSource, _ request: String, words: String = "", name: String, status: Int = 200
    ) -> Reply {
        guard let client = clients[source.terms.clientID] else { return Self.stranded("This client is gone.") }
        return BrowserPage.consent(
            client, source.terms.scope, request: request, source: source, words: words, name: name, status: status)
    }

    /// What the person decided.
    mutating func consent(_ call: Call, door: inout Doorkeeper) -> Reply {
        guard let form = try? Parameters(postedIn: call), let request = form["request"], let source = consents[request]
        else { return Self.stranded("This form was sent before.") }
        guard call.header("Origin") ?? call.origin == call.origin else {
            return Self.stranded("This form is not ours.")
        }
        switch form["decision"] {
        case "approve": break
        case "deny": return finish(request, source, call, account: nil)
        default: return Self.stranded("The form says neither approve nor deny.")
        }
        let name = form["username"] ?? "", who = Doorkeeper.account(named: name)?.name
        var reply: Reply
        switch door.judge(name: name, password: form["password"] ?? "") {
        case .accepted(let account): return finish(request, source, call, account: account)
        case .refused: reply = page(source, request, words: "Wrong user name or password.", name: name)
        case .turnedAway(let away):
            reply = page(source, request, words: away.words, name: name, status: away.status)
                .with("Retry-After", away.retryAfter.map { "\($0)" })
        }
        reply.who = who
        return reply
    }

    /// - Parameter account: who approved; nothing for a denial.
    private mutating func finish(_ request: String, _ source: ConsentSource, _ call: Call, account: Account?) -> Reply {
        consents[request] = nil
        switch source {
        case .browser(let asked, let requestURI):
            if let requestURI { pushed[requestURI] = nil }
            guard let account else { return asked.redirect.answer(OAuthError(.accessDenied, "The person said no")) }
            let code = codes.issue(asked, to: account, now: call.now)
            return asked.redirect.answer(code: code, who: account.name)
        case .device(let device):
            devices.decide(account.map { .approved($0) } ?? .denied, aboutUserCode: device.userCode)
            let title = account == nil ? "Denied" : "Approved"
            return BrowserPage.message(200, title, "Go back to your device.", who: account?.name)
        }
    }

    private static func stranded(_ words: String) -> Reply {
        BrowserPage.message(400, "This does not work", words)
    }
}
