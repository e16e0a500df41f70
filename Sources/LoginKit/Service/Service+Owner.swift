// Whose session it is after a response that prepares a request: a page, that of `csrf`, or a `stale` refusal.
extension Service {
    /// Has verify say whose a session is that such a response has changed, before a request goes out with it. What came under a new
    /// name is used unasked. So is a new value of a cookie that verify itself has changed in this run, since many services encrypt
    /// theirs anew in each response.
    /// - Parameter former: the session that the response was sent to.
    /// - Returns: the session, with what verify has refreshed in it.
    /// - Throws: `sessionChanged` unless verify names the same user; where it names nobody, logged in is enough.
    func proved(_ session: Session, after former: Session, username: String) throws(LoginFault) -> Session {
        // Without its own cookie a session is nobody's, or that of another one beside it.
        let changed = session.cookies.changedNames(from: former.cookies)
            .union(session.cookies.lostNames(from: former.cookies))
        guard profile.verify != nil, !changed.isEmpty else { return session }
        let names = Set(former.cookies.map(\.name))
        let carried = provable(session, after: former, username: username) { !names.contains($0) }
        guard carried == session else { throw .usage(.sessionChanged(by: nil)) }
        if result.otherUser == nil, changed.isSubset(of: result.changedByVerify) { return session }
        let owner: Identity, login: Login
        do {
            owner = if let known = self.owner { known } else { try verify(former, username: username).identity }
            login = try verify(session, username: username)
        } catch .rejected, .forbidden, .secondFactor, .failure, .untrusted(.otherOrigin) {
            throw .usage(.sessionChanged(by: nil))
        }
        let name = login.identity.serverName
        let other = RefreshOwner(named: name).otherPerson(than: owner)?.hiding(repeatsSecret)
        guard other == nil, name != nil || owner.serverName == nil else { throw .usage(.sessionChanged(by: other)) }
        result.proved = login
        return login.session
    }

    /// The same for what a response has made of the session that was sent, if one was.
    func proved(_ relayed: Relayed, after former: Session?, username: String) throws(LoginFault) -> Session? {
        guard let former, let session = relayed.session else { return former }
        return try proved(session, after: former, username: username)
    }

    /// The session that a logout is to end: as the response has changed it only if that is proved, else with the values that it had.
    func owned(_ session: Session, after former: Session, username: String) throws(LoginFault) -> Session {
        do {
            return try proved(session, after: former, username: username)
        } catch .cancelled {
            throw .cancelled
        } catch {
            var session = session
            let names = Set(former.cookies.map(\.name))
            session.cookies = session.cookies.filter { !names.contains($0.name) } + former.cookies
            return session
        }
    }
}
