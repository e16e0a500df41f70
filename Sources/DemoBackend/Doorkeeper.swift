/// Judges names and passwords for all services, and counts the wrong ones.
struct Doorkeeper: Sendable {
    /// An answer that has nothing to do with the password being right.
    struct TurnedAway: Sendable {
        let status: Int
        let words: String
        var retryAfter: Int?
    }

    enum Judgement: Sendable {
        case accepted(Account)
        case refused
        case turnedAway(TurnedAway)
    }

    private static let patience = 3
    private var wrongPasswords: [String: Int] = [:]

    /// Whether this name may come in with this password.
    mutating func judge(name: String, password: String) -> Judgement {
        guard let account = Self.account(named: name) else { return .refused }
        if let trouble = trouble(of: account) { return .turnedAway(trouble) }
        guard Self.sameBytes(account.password, password) else {
            wrongPasswords[account.name, default: 0] += 1
            return .refused
        }
        wrongPasswords[account.name] = nil
        return .accepted(account)
    }

    /// What the verify endpoint of a service says to a suspended account.
    static let suspended = TurnedAway(status: 403, words: "This account is suspended")

    /// What is wrong with the service for this account, whatever the password.
    func trouble(of account: Account) -> TurnedAway? {
        switch account.trait {
        case .usual, .suspended, .slow: nil
        case .busy: TurnedAway(status: 429, words: "Too many logins, try later", retryAfter: 7)
        case .broken: TurnedAway(status: 500, words: "Something went wrong on our side")
        case .locked: Self.lockedOut
        case .locksOut: wrongPasswords[account.name, default: 0] >= Self.patience ? Self.lockedOut : nil
        }
    }

    /// The account of that name, compared byte by byte: Swift's own `==` would take composed and decomposed letters
    /// for the same.
    static func account(named name: String) -> Account? {
        Account.all.first { sameBytes($0.name, name) }
    }

    static func sameBytes(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8)
    }

    private static let lockedOut = TurnedAway(
        status: 423, words: "This account is locked after too many wrong passwords; ask your administrator")
}
