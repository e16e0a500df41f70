import LoginCore

extension ProfileDecoder {
    /// What a login in a browser begins with, and what it takes beside cookies or instead of them.
    func readWindow(_ requests: RequestDecoder, _ table: StrictTable, _ profile: inout Profile) throws(UsageFault) {
        guard let login = try table.table("login") else { return }
        try login.allow(["page", "take-header"])
        profile.windowPage = try requests.plainPath("page", in: login)
        guard let name = try login.string("take-header") else { return }
        guard name.isHeaderName, name.lowercased() != "cookie" else {
            throw login.fault("take-header", "must be the name of a header other than Cookie")
        }
        profile.takesHeader = name
        if profile.session == nil { profile.session = SessionRule(taking: name) }
    }

    /// The header that is taken is the one that is sent.
    func checkWindow(_ profile: Profile, _ table: StrictTable) throws(UsageFault) {
        let rule = profile.sessionRule
        guard let name = profile.takesHeader else {
            if rule.slots.contains(.token) { throw table.fault("session", "{token} needs 'take-header' in 'login'") }
            return
        }
        let sent = (rule.headers + rule.writeHeaders).contains {
            $0.shownName == name.lowercased() && $0.value.slots == [.token]
        }
        if !sent { throw table.fault("session", "must send {token} in the header that 'take-header' names") }
    }
}

extension SessionRule {
    /// The header as it was taken: for `Authorization` with the scheme of bearer tokens.
    fileprivate init(taking name: String) {
        self = .bearer
        guard name.lowercased() != "authorization" else { return }
        headers = [HeaderRule(name: name, value: Template(parts: [.slot(.token)]))]
    }
}
