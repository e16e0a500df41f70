import Secrets

/// The dialogue of Digest with one server (RFC 7616): the challenge in hand, with how often it was answered.
struct DigestDialogue {
    private var session: DigestSession

    init(_ challenge: DigestChallenge) {
        session = DigestSession(challenge)
    }

    /// Sends a request with an answer to the challenge in hand: once more if the server wants another nonce,
    /// and never a third time, since a server could ask for that without end.
    mutating func send(
        _ request: HTTPRequest, _ pair: BasicCredential, answersOtherRealms: Bool, over line: ServiceClient.Line
    ) throws(LoginFault) -> ServiceClient.Sent {
        // A nonce that was used before may have ended meanwhile, which not every server calls stale.
        let isFresh = session.nonceCount == 0
        let first = try answer(request, pair, session, over: line)
        guard let next = nextChallenge(first.response) else { return first }
        let isOther = next.realm != session.challenge.realm
        if isOther && !answersOtherRealms { return first }
        session = DigestSession(next)
        guard next.isStale || !isFresh || isOther else { return first }
        let second = try answer(request, pair, DigestSession(next), over: line)
        if let last = nextChallenge(second.response) {
            if last.isStale { throw .network(.brokenResponse("it calls every nonce stale and keeps asking")) }
            session = DigestSession(last)
        }
        return second
    }

    private mutating func answer(
        _ request: HTTPRequest, _ pair: BasicCredential, _ fresh: DigestSession, over line: ServiceClient.Line
    ) throws(LoginFault) -> ServiceClient.Sent {
        var answered = fresh, request = request
        try rewind(request, under: answered.challenge)
        // The target of the request line, as the transport sends it.
        let target = try URLParser.parsed(request.url).target
        let covered = DigestSession.Request(method: request.method, uri: target, body: request.body)
        let answer = try answered.answer(
            covered, pair, clientNonce: Self.clientNonce(), hash: HashLibrary.digits)
        request.headers.append(
            HTTPRequestField(name: "Authorization", value: try answer.authorization(hash: HashLibrary.digits)))
        request.answersChallenge = true
        let response = try line(request)
        let isProven = try check(answer, response, &answered, hasPassed: request.streamedBodies != nil)
        session = answered
        return ServiceClient.Sent(response: response, isProven: isProven, carriedPassword: true)
    }

    /// A body that is read while it is sent begins anew for every answer. Its digest would have to be known before.
    private func rewind(_ request: HTTPRequest, under challenge: DigestChallenge) throws(LoginFault) {
        guard let source = request.streamedBodies?.source else { return }
        guard challenge.qop != .authInt else {
            throw .usage(
                .badValue(option: "body", problem: "the server requires its digest (auth-int); send at most 1 MiB"))
        }
        guard source.rewind() else { throw .failure(.bodyNotRepeatable) }
    }

    /// RFC 7616, section 3.5: the server's own proof, and the nonce that it wants next.
    /// - Returns: whether the server has proved itself.
    private func check(
        _ answer: DigestResponse, _ response: HTTPResponse, _ answered: inout DigestSession, hasPassed: Bool
    ) throws(LoginFault) -> Bool {
        let field = AuthenticateChallenge.info(response.values(of: "Authentication-Info")), info = field.parameters
        if let name = field.repeated.min() {
            throw .network(.brokenResponse("its Authentication-Info has \(name) twice"))
        }
        if let name = field.malformed.min() {
            throw .network(.brokenResponse("where the \(name) of its Authentication-Info ends cannot be told"))
        }
        // The digest of a body that has passed, or was not read to its end, is not known: it proves nothing, in either way.
        let isCovered = answered.challenge.qop == .authInt && (hasPassed || response.unread != nil)
        let proof = isCovered ? .none : try answer.proof(in: info, body: response.body, hash: HashLibrary.digits)
        if proof == .wrong {
            throw .untrusted(
                "the server did not prove that it knows the password (its 'rspauth' is wrong); its response was discarded",
                next: "somebody may be intercepting the connection: ask the service's administrator")
        }
        if let nonce = info["nextnonce"] { answered.take(nextNonce: nonce) }
        return proof == .supplied
    }

    /// The challenge of a refusal, if it can be answered.
    private func nextChallenge(_ response: HTTPResponse) -> DigestChallenge? {
        guard response.status == 401 else { return nil }
        let offered = AuthenticateChallenge.parse(response.values(of: "WWW-Authenticate"))
        return DigestChallenge.strongest(of: offered).challenge
    }

    /// 128 bits of the system's randomness (getrandom(2)).
    static func clientNonce() -> String {
        Secret.random(count: 16).withUnsafeBytes { Hexadecimal.text($0) }
    }
}
