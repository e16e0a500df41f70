import Secrets
import Synchronization

/// Postpones what would end the program or cancel the call, for 5 seconds at most.
struct Postponement: Sendable {
    /// Takes the notice to show if something is postponed; `nil` shows none.
    let begin: @Sendable (_ notice: String?) -> Void
    let end: @Sendable () -> Void
    /// Whether something is postponed now.
    var isPending: @Sendable () -> Bool = { false }
}

/// The sessions that a service has handed out to a login, until each is kept or ended. Meanwhile what would end the program is postponed,
/// and breaks off what the login waits for.
final class Handover: Sendable {
    /// A session, with what is sent beside it.
    struct Given: Sendable {
        var session: Session
        let username: String
        let extraSecrets: [CredentialField: Secret]
        /// Whether verify has accepted it.
        var isConfirmed = false
    }

    private let postponement: Postponement
    /// `nil` while nothing is postponed.
    private let sessions = Mutex<[Given]?>(nil)

    init(_ postponement: Postponement) { self.postponement = postponement }

    /// In the order in which they came.
    var given: [Given] {
        get { sessions.withLock { $0 ?? [] } }
        set { sessions.withLock { if $0 != nil { $0 = newValue } } }
    }

    /// Whether the program is to end as soon as no session is left over.
    var isInterrupted: Bool { sessions.withLock { $0 != nil } && postponement.isPending() }

    /// A response may hand out a session now.
    func expect() {
        let isNew = sessions.withLock { sessions in
            defer { sessions = sessions ?? [] }
            return sessions == nil
        }
        if isNew { postponement.begin(nil) }
    }

    /// What was postponed takes effect, unless a session is left over.
    func settle() {
        let isOver = sessions.withLock { sessions in
            guard sessions?.isEmpty == true else { return false }
            sessions = nil
            return true
        }
        if isOver { postponement.end() }
    }
}

extension Service {
    /// Takes note of a session that the service has handed out. A grant is noted once more when it is opened.
    func note(_ session: Session, of username: String, isConfirmed: Bool = false) {
        guard let handover = client.handover else { return }
        handover.expect()
        handover.given.removeAll { $0.session.token != nil && $0.session.token == session.token }
        handover.given.append(
            Handover.Given(
                session: session, username: username, extraSecrets: client.extraSecrets, isConfirmed: isConfirmed))
    }

    /// Takes note of the session of a login that is to be confirmed: it is given up unless it is accepted. Cookies that are refused are none.
    func handedOut(
        by opened: OpenedLogin, _ confirm: () throws(LoginFault) -> LoginStep
    ) throws(LoginFault) -> LoginStep {
        // What a person has brought is theirs.
        guard opened.session.credential == nil, profile.kind != .pasted else { return try confirm() }
        let username = opened.credential.username ?? ""
        func forget() { if opened.session.token == nil { client.handover?.given.removeLast() } }
        note(opened.session, of: username)
        do {
            let step = try confirm()
            if case .refused = step { forget() }
            if case .accepted(let login) = step {
                client.handover?.given.removeLast()
                note(login.session, of: username, isConfirmed: true)
            }
            return step
        } catch .rejected(let refusal) {
            forget()
            throw .rejected(refusal)
        }
    }
}

extension Session {
    fileprivate var token: Secret? { if case .token(let token) = self { token.value } else { nil } }

    /// Whether the end of one may be the end of the other: they have a value in common, or the single sign-on that they came with.
    /// - Parameter anybodys: cookies that anybody gets.
    func isTied(to other: Session, besides anybodys: [Cookie]) -> Bool {
        if let signOn, signOn == other.signOn { return true }
        let values = other.values
        return self.values.contains { value in
            !value.isEmpty && values.contains(value) && !anybodys.contains { $0.value == value }
        }
    }

    private var values: [Secret] {
        let cookies = cookies.carryingSession.map(\.value)
        guard case .token(let token) = self else { return cookies }
        return cookies + [token.value, token.refreshToken].compactMap { $0 }
    }

    private var signOn: String? { terms?.signOn ?? token.flatMap { JSONWebToken($0)?.signOn } }
}
