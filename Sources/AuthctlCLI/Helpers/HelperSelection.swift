import LoginCore
import LoginKit

/// Finds the login that a helper's caller means: that of a profile with exactly this origin.
///
/// Of several profiles it is the one that `-P` or `AUTHCTL_PROFILE` names, the default one, or the only one that has such an
/// account. `-P` holds for every origin; the variable, which `exec` sets too, only where its profile is for this one.
extension Invocation {
    /// - Parameters:
    ///   - names: of all profiles at this origin, where they are known; else they are looked for.
    ///   - username: the name typed or the server's; `nil` for what `-u` says, or the active account.
    ///   - mayProve: whether a machine that proves itself, and is not logged in, may do so: not for what its caller cannot use.
    /// - Returns: `nil` if nobody is logged in there.
    /// - Throws: `usage` where more than one could be meant; `untrusted` where the login would travel in clear.
    func helperLogin(
        at origin: Origin, among names: [String]? = nil, username: String?,
        mayProve: (Profile) -> Bool = { _ in false }
    ) throws(LoginFault) -> HelperLogin? {
        guard let profile = try helperProfile(at: origin, among: names, username: username) else {
            explain("there is no profile for \(origin)")
            return nil
        }
        context.topic = ErrorContext(profile: profile.name, origin: origin)
        // Whoever asks connects by themselves, so the address cannot be looked at.
        let isSafe = origin.scheme == "https" || profile.settings.allowHTTP || origin.isLoopback
        var account = try helperAccount(profile, username)
        if account == nil, username == nil, profile.provesItself, mayProve(profile) {
            guard isSafe else { throw .untrusted(.plainHTTP) }
            account = try provenAccount(profile)
        }
        guard let account else {
            explain("nobody is logged in at \(origin)\(username.map { " as \(SafeText.quoted($0))" } ?? "")")
            return nil
        }
        guard isSafe else { throw .untrusted(.plainHTTP) }
        return HelperLogin(invocation: self, profile: profile, account: account)
    }

    /// The names of all profiles by their origins, in the order of their first ones; each profile is read once.
    func helperProfiles() throws(LoginFault) -> [(origin: Origin, names: [String])] {
        var found: [(origin: Origin, names: [String])] = []
        var places: [Origin: Int] = [:]
        for name in context.profiles.names {
            guard let origin = try context.origin(of: name) else { continue }
            if let place = places[origin] {
                found[place].names.append(name)
            } else {
                places[origin] = found.count
                found.append((origin, [name]))
            }
        }
        return found
    }

    func helperProfile(
        at origin: Origin, among known: [String]? = nil, username: String?
    ) throws(LoginFault) -> Profile? {
        if let named = options.profile {
            let profile = try context.profile(named: named)
            return try context.origin(of: named) == origin ? profile : nil
        }
        if let named = context.dependencies.environment["AUTHCTL_PROFILE"] {
            // Read in any case: a name that does not exist is a mistake.
            let profile = try context.profile(named: named)
            if try context.origin(of: named) == origin { return profile }
        }
        let names: [String]
        if let known {
            names = known
        } else {
            names = try helperProfiles().first { $0.origin == origin }?.names ?? []
            // Nothing to find would be no word of the mistake.
            if names.isEmpty { try context.checkUnreadableProfiles(at: origin) }
        }
        if names.count <= 1 {
            return try names.first.map { (name) throws(LoginFault) in try context.profile(named: name) }
        }
        var usable: [Profile] = []
        for name in names {
            let profile = try context.profile(named: name)
            if try helperAccount(profile, username) != nil { usable.append(profile) }
        }
        if usable.count == 1 { return usable[0] }
        if let name = try context.defaultProfile(), names.contains(name) { return try context.profile(named: name) }
        guard usable.isEmpty else { throw .usage(.profileNotNamed(known: names)) }
        return nil
    }

    /// Has a machine prove itself.
    /// - Returns: `nil` for one that lacks what it proves itself with, or keeps no login.
    private func provenAccount(_ profile: Profile) throws(LoginFault) -> AccountRecord? {
        guard profile.settings.persist != Persistence.none else { return nil }
        let source = TokenSource(context: context, profile: profile, minimum: 0, asksServer: false, wantsHeader: true)
        do throws(LoginFault) {
            _ = try source.session()
        } catch .loginRequired(let need) {
            explain(LoginFault.loginRequired(need).message(about: context.topic).what)
            return nil
        }
        context.lookAgain()
        return try helperAccount(profile, nil)
    }

    private func helperAccount(_ profile: Profile, _ username: String?) throws(LoginFault) -> AccountRecord? {
        guard let record = try context.record(of: profile) else { return nil }
        let chosen = options.username.map { record.account(named: $0) } ?? record.activeAccount
        guard let username else { return chosen }
        let account = record.account(named: username)
        // What `-u` says holds whatever else is asked for.
        return options.username == nil || account == chosen ? account : nil
    }
}
