/// The part of the table that keeps one account's login from being used for another.
extension LoginFlow {
    /// Saves a login that was confirmed, unless it is another person's: then a person is asked first.
    mutating func save(_ identity: Identity, from source: Source) -> Effect {
        guard let replacement = replacement(by: identity) else { return keep(identity, from: source) }
        guard policy.mayAsk, source != .supplied else {
            return finish(.failed(.loginRequired(LoginNeed(why: .otherPerson(replacement)))))
        }
        return ask(.replacement(replacement), then: .save(identity, source))
    }

    mutating func keep(_ identity: Identity, from source: Source) -> Effect {
        go(.saving(identity, source), .save(approval(source)))
    }

    func replacement(by confirmed: Identity) -> Replacement? {
        if let wanted = subject.wanted, let other = Replacement(wanted: wanted, confirmed: confirmed) { return other }
        let name = confirmed.accountName
        let same = subject.accounts.first { $0.username.isSame(as: name) }
        let meant = subject.account.flatMap { wanted in subject.accounts.first { $0.username.isSame(as: wanted) } }
        return (meant ?? same).flatMap { Replacement(of: $0, by: confirmed) }
    }
}
