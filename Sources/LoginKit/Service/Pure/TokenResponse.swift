import Secrets

/// The response of a token endpoint (RFC 6749, sections 5.1 and 5.2).
enum TokenResponse: Equatable, Sendable {
    case issued(IssuedTokens)
    case refused(OAuthRefusal)
    /// It cannot say now: nothing was judged.
    case unavailable(BusyFault)

    /// A member `error` is an error whatever the status; any 4xx is a no, also with an empty body. At a refresh only the token
    /// endpoint itself can say no, since that ends a login: what a firewall or a gateway answers judges nothing.
    /// - Throws: `unusableResponse` for what is neither, `redirected` for a redirect.
    init(_ response: HTTPResponse, at step: OAuthStep = .token) throws(LoginFault) {
        let body = OAuthBody(response)
        if let busy = body.busy {
            self = .unavailable(busy)
        } else if step == .refresh ? body.refusesRefresh : body.hasError || (400..<500).contains(response.status) {
            self = .refused(body.refusal(at: step))
        } else if step == .refresh, body.isDoubtful {
            self = .unavailable(
                BusyFault(
                    status: response.status, retryAfter: response.retryAfter, words: body.words, isDoubtful: true))
        } else {
            try response.refuseRedirect(at: step)
            self = .issued(try IssuedTokens(body, at: step))
        }
    }

    /// The tokens.
    /// - Throws: `busy`, `oauth` with the refusal.
    func get() throws(LoginFault) -> IssuedTokens {
        switch self {
        case .issued(let tokens): return tokens
        case .refused(let refusal): throw .oauth(.refused(refusal))
        case .unavailable(let fault): throw .busy(fault)
        }
    }

    /// The same for a refresh: what the server refused is `rejected`, so that it is erased; a configured client that it does not
    /// know says nothing about the refresh token.
    func refreshed(_ grant: Grant) throws(LoginFault) -> IssuedTokens {
        guard case .refused(let refusal) = self, !grant.survives(refusal) else { return try get() }
        throw .rejected(Refusal(status: refusal.status ?? 400, words: refusal.words))
    }
}

extension String {
    /// Scope tokens with blanks between them (RFC 6749, section 3.3), and not more than anybody needs: it is kept, and shown.
    fileprivate var isScope: Bool {
        utf8.count <= 4096 && split(separator: " ").allSatisfy { String($0).isScopeToken }
    }
}

extension LoginFault {
    /// The fault of a response whose member cannot be used as text.
    static func unsafeText(_ member: String, at step: OAuthStep) -> LoginFault {
        .oauth(
            .unusableResponse(step, "its \(member) contains characters that it must not have, or is too long"))
    }
}

extension IssuedTokens {
    /// A hundred years: more means something else.
    private static let longestLife = 3_155_760_000

    fileprivate init(_ body: OAuthBody, at step: OAuthStep) throws(LoginFault) {
        guard let value = body.text("access_token") else { throw body.lacking("access_token", at: step) }
        let type = body.members?["token_type"]
        guard type == nil || type == .null || type?.string != nil else {
            throw .unsafeText("token_type", at: step)
        }
        if let type = body.text("token_type"), type.lowercased() != "bearer" {
            // RFC 6749, section 7.1.
            throw .oauth(
                .unusableResponse(step, "the token is of type \(SafeText.quoted(type)); only Bearer is supported"))
        }
        accessToken = Secret(value)
        guard value.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else {
            throw .unsafeText("access_token", at: step)
        }
        refreshToken = body.text("refresh_token").map { Secret($0) }
        lifetime = body.seconds("expires_in", in: 1...Self.longestLife)
        scope = body.text("scope")
        guard scope?.isScope ?? true else { throw .unsafeText("scope", at: step) }
        identityToken = body.text("id_token").map { Secret($0) }
    }

    /// As they are kept.
    /// - Parameters:
    ///   - now: when the response came, in seconds of Unix time.
    ///   - old: the refresh token that stays where no new one came (RFC 6749, section 6).
    func token(receivedAt now: Int64, keeping old: Secret? = nil) -> Token {
        Token(value: accessToken, refreshToken: refreshToken ?? old, expires: lifetime.map { now + Int64($0) })
    }
}

/// The result of a revocation (RFC 7009, section 2.2).
enum RevocationResponse: Equatable, Sendable {
    case revoked
    /// The server does not revoke tokens of this kind (section 2.2.1).
    case unsupported
    /// It is not known whether the token still works.
    case failed(status: Int)

    /// Any 2xx is a yes: a token that the server does not know is revoked, too. A page is none, whatever its status: a portal or a
    /// gateway may have answered it.
    init(_ response: HTTPResponse) {
        let body = OAuthBody(response)
        if body.code == .unsupportedTokenType {
            self = .unsupported
        } else {
            let isDone =
                (200..<300).contains(response.status) && !body.hasError && (response.body.isEmpty || !body.isPage)
            self = isDone ? .revoked : .failed(status: response.status)
        }
    }
}

extension Grant {
    /// The grant after a refresh (RFC 6749, section 6): no new refresh token keeps the old one, and a scope that is not named
    /// stays as it was.
    /// - Parameter now: when the response came, in seconds of Unix time.
    func refreshed(by issued: IssuedTokens, at now: Int64) -> Grant {
        Grant(token: issued.token(receivedAt: now, keeping: token.refreshToken), terms: terms.granting(issued.scope))
    }
}
