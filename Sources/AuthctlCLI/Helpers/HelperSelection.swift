import Glibc
import LoginKit
import Secrets

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
            guard let origin = try context.selection.origin(of: name) else { continue }
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
            return try context.selection.origin(of: named) == origin ? profile : nil
        }
        if let named = context.dependencies.environment["AUTHCTL_PROFILE"] {
            // Read in any case: a name that does not exist is a mistake.
            let profile = try context.profile(named: named)
            if try context.selection.origin(of: named) == origin { return profile }
        }
        let names: [String]
        if let known {
            names = known
        } else {
            names = try helperProfiles().first { $0.origin == origin }?.names ?? []
            // Nothing to find would be no word of the mistake.
            if names.isEmpty { try context.selection.checkUnreadableProfiles(at: origin) }
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
        if let name = try context.selection.defaultProfile(), names.contains(name) {
            return try context.profile(named: name)
        }
        guard usable.isEmpty else { throw .usage(.profileNotNamed(known: names)) }
        return nil
    }

    /// Has a machine prove itself.
    /// - Returns: `nil` for one that lacks what it proves itself with, or keeps no login.
    private func provenAccount(_ profile: Profile) throws(LoginFault) -> AccountRecord? {
        guard profile.settings.persist != Persistence.none else { return nil }
        let source = SessionProvider(unattended: context, profile, form: .header)
        do {
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
        // git asks again, and erases, by the user name that it got.
        let account = record.account(named: username) ?? (profile.sessionRule.sendsAlways(username) ? chosen : nil)
        // What `-u` says holds whatever else is asked for.
        return options.username == nil || account == chosen ? account : nil
    }
}

extension Invocation {
    /// Reads standard input for one of the two protocols, bounded in length and in time.
    /// - Parameter endsWithBlankLine: whether a blank line ends it, too.
    func helperInput(endsWithBlankLine: Bool) throws(LoginFault) -> Secret {
        let patience = options.timeout ?? PasswordCommand.patience
        let wait = InputWait(descriptor: STDIN_FILENO, deadline: .now.advanced(by: .seconds(patience)))
        var builder = SecretBuilder(limit: GitCredentialRequest.limit)
        var isAtLineStart = true
        do throws(SecretFile.Problem) {
            try SecretFile.eachByte(of: STDIN_FILENO, waiting: wait) { (byte) throws(SecretFile.Problem) in
                let isLineEnd = byte == UInt8(ascii: "\n")
                if isLineEnd && isAtLineStart && endsWithBlankLine { return false }
                isAtLineStart = isLineEnd
                return builder.append(byte)
            }
            guard let input = builder.finish() else { throw .tooLong }
            return input
        } catch {
            switch error {
            case .cannotRead(let errno): throw .malformedRequest("it cannot be read: \(SystemWords.of(errno))")
            case .tookTooLong: throw .malformedRequest("it did not end within \(patience) seconds")
            case .tooLong, .furtherLines:
                throw .malformedRequest("longer than \(GitCredentialRequest.limit) bytes")
            }
        }
    }
}

extension LoginFault {
    /// A request by git or docker that authctl cannot answer. It is not repeated: it may hold a password.
    static func malformedRequest(_ problem: String) -> LoginFault {
        .usage(
            "malformed request: \(problem)",
            next:
                "git and docker run this command themselves; see authctl-git-credential(1) and docker-credential-authctl(1)"
        )
    }
}

/// The stored login for an origin that another program asks about. Never guesses and never asks a person.
struct HelperLogin {
    let invocation: Invocation
    let profile: Profile
    let account: AccountRecord

    /// Whether it can be sent as the pair of HTTP Basic, as far as is known without opening it.
    var isPair: Bool { account.kind == .basic || (account.kind == .token && profile.sessionRule.basic != nil) }

    /// Returns the stored login, refreshed if it has expired.
    /// - Returns: `nil` if there is no session, or one that other programs cannot send.
    func lent() throws(LoginFault) -> LentLogin? {
        let source = SessionProvider(unattended: invocation.context, profile, form: .header)
        do {
            if isLendable {
                let session = try source.session(of: account)
                if let lent = try lent(session, try source.taken(account.username)) { return lent }
            }
            invocation.say("authctl: \(otherWay)")
            return nil
        } catch .loginRequired {
            invocation.say(
                "authctl: \(profile.name): the stored login has expired; log in again: \(ShellCommand("authctl", "login", profile.name))"
            )
            return nil
        }
    }

    /// Tells how a login is lent to a program that cannot send it as it is.
    var otherWay: String {
        if isLendable {
            return "\(profile.name) sends its token in a header; if the service takes it as a password, "
                + "add to 'session' of the profile: basic = \"oauth2:{token}\""
        }
        let command =
            UnchangedRun.problem(with: account.origin, .here) == nil
            ? ShellCommand("authctl", "exec", "-P", profile.name, "--unchanged", "--", "COMMAND")
            : ShellCommand("authctl", "exec", "-P", profile.name, "--serve", "--", "COMMAND")
        return "\(profile.name): other programs cannot send this login by themselves; lend it to one: \(command)"
    }

    /// Returns the stored login, even if it has expired.
    func stored() throws(LoginFault) -> LentLogin? {
        guard isLendable else { return nil }
        let stored = try invocation.context.accounts.keeper(of: account, in: profile).fill(account)
        return try stored.session.flatMap { (session) throws(LoginFault) in try lent(session, stored.extraSecrets) }
    }

    /// Has the service judge what is stored; what it refuses is erased, a password marked, and what can be refreshed is.
    /// - Returns: whether there is a good login afterwards.
    func holds() throws(LoginFault) -> Bool {
        do {
            let request = LoginRequest(username: account.username, mayAsk: false)
            _ = try LoginRun(invocation.context, profile, request).run()
            return true
        } catch .loginRequired(let need) where need.isUndecided {
            throw .loginRequired(need)
        } catch .loginRequired, .rejected {
            return false
        }
    }

    /// Digest, tickets and certificates never leave as they are.
    private var isLendable: Bool { account.kind == .basic || account.kind == .token }

    private func lent(_ session: Session, _ taken: [CredentialField: Secret]) throws(LoginFault) -> LentLogin? {
        do {
            return try LentLogin(
                session, profile.sessionRule, SlotValues(session, username: account.username, taken))
        } catch {
            throw .failure(.sessionFitsNoHeader)
        }
    }
}

extension Invocation {
    /// Said with -v only: a helper has no login for most hosts.
    func explain(_ text: String) {
        if options.verbose { say("authctl: \(text)") }
    }

    /// The origin that a program names.
    /// - Returns: `nil` for what is no https or http URL of a host: there is no login for it.
    func helperOrigin(_ url: String) throws(LoginFault) -> (origin: Origin, user: String?, password: Secret?)? {
        let parser = try URLParser()
        guard let parsed = try? parser.parse(url) else {
            explain("this is not a URL that a profile can have")
            return nil
        }
        return (parsed.origin, parsed.user, parsed.password)
    }
}

/// A login as another program sends it by itself.
struct LentLogin: Equatable, Sendable {
    /// The credential that the other program sends.
    enum Proof: Equatable, Sendable {
        /// The pair of HTTP Basic (RFC 7617).
        case pair(username: Secret, password: Secret)
        /// The value of `Authorization`: a scheme, such as `Bearer`, and its credential.
        case token(scheme: String, value: Secret)
    }

    /// The proof of the login, in the form that the profile sends.
    let proof: Proof
    /// Seconds of Unix time, as far as the end is known.
    let expires: Int64?

    /// - Parameter values: of the session, and what its login issued for later requests.
    /// - Returns: `nil` for a session that is sent in another way.
    init?(_ session: Session, _ rule: SessionRule, _ values: SlotValues) throws(FillFault) {
        if let pair = try rule.basicPair(session, values) {
            proof = .pair(username: pair.username, password: pair.password)
        } else if let (scheme, value) = try rule.authorization(session, values) {
            proof = .token(scheme: scheme, value: value)
        } else {
            return nil
        }
        expires = session.expires
    }

    /// The proof of the login, without the user name.
    var secret: Secret {
        switch proof {
        case .pair(_, let password): password
        case .token(_, let value): value
        }
    }

    /// In bytes, with its end: longer lines are more than another reader of the protocol has to take (git-credential(1),
    /// "INPUT/OUTPUT FORMAT").
    static let longestGitLine = 65_535

    /// The lines of an answer to git, the last without its end.
    /// - Throws: `failure` where a value would end its line, or makes it too long.
    func gitAnswer() throws(LoginFault) -> Secret {
        var lines: [(name: String, value: Secret)]
        switch proof {
        case .pair(let username, let password): lines = [("username", username), ("password", password)]
        case .token(let scheme, let value):
            lines = [("capability[]", Secret("authtype")), ("authtype", Secret(scheme)), ("credential", value)]
        }
        if let expires { lines.append(("password_expiry_utc", Secret(String(expires)))) }
        for line in lines {
            guard line.value.withUnsafeBytes({ $0.allSatisfy { ![0x00, 0x0A, 0x0D].contains($0) } }) else {
                throw Self.unfit("contains a line end, which git's protocol does not allow")
            }
            guard line.name.utf8.count + line.value.count + 2 <= Self.longestGitLine else {
                throw Self.tooLong(Self.longestGitLine)
            }
        }
        var text = SecretBuilder(limit: RequestRule.bodyLimit)
        for (index, line) in lines.enumerated() {
            text.append(index > 0 ? "\n\(line.name)=" : "\(line.name)=")
            text.append(line.value)
        }
        guard let text = text.finish() else { throw Self.tooLong(RequestRule.bodyLimit) }
        return text
    }

    private static func tooLong(_ limit: Int) -> LoginFault {
        unfit("is longer than \(limit) bytes, the limit of a line in git's protocol")
    }

    private static func unfit(_ why: String) -> LoginFault { .failure("the login \(why); git got nothing") }
}
