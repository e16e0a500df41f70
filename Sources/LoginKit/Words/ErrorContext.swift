/// The profile that an error is about.
package struct ErrorContext: Equatable, Sendable {
    /// The profile's name.
    package var profile: String?
    /// The server, once it is known.
    var origin: Origin?
    /// The argument of `login` if no such profile exists yet, without user information.
    var url: String?
    /// The URL of a page where a person can register.
    var signup: String?
    /// The steps that were done before the failure.
    var done: [Done] = []

    /// A step that cannot be undone.
    enum Done: Equatable, Sendable {
        /// A request of the person's own was answered with this status.
        case requestSent(status: Int)
        /// The server refused the session, and it is not kept any more.
        case sessionErased
        /// The server refused the password: it is kept, and not sent again by itself.
        case passwordMarked
    }
    /// The credential that the profile uses; `nil` if not known.
    var fields: [CredentialField] = []
    /// The command that a next try is made with: `login` also for those that only need a login.
    package var command = ["login"]
    /// The options that the command was typed with and that a next try needs as well.
    package var options: [String] = []
    /// Whether a person logs in with a browser, at an authorization server or elsewhere.
    var asksForConsent = false
    /// Whether authctl opens a browser window for that.
    var opensWindow = false
    /// The machine's proof of identity; `nil` for the login of a person.
    var machine: MachineProofName?
    /// Whether the authorization server may offer device codes (RFC 8628).
    var mayHaveDeviceCodes = true
    /// Whether the profile keeps no login.
    var keepsNothing = false
    /// Whether the session was copied in a browser.
    var isCopied = false
    /// Whether the request lacked protection against forgery, as `SessionRule.isForgeable` defines it.
    var isForgeable = false
    /// Where a password was taken from that nobody has typed, such as an option or a line of a file.
    var passwordSource: String?
    /// Whether the variables that hold a credential are set, but not for this profile.
    var ignoresVariables = false
    /// Whether the environment names a URL, from which `login` makes a profile.
    package var environmentNamesURL = false
    /// Whether authctl was started by an `exec` for this profile that did not store its login.
    package var isWithinUnstoredExec = false
    /// Whether the system's authorities are already replaced by others.
    var namesAuthorities = false

    /// Without arguments, the message names no profile.
    package init(profile: String? = nil, origin: Origin? = nil, url: String? = nil) {
        self.profile = profile
        self.origin = origin
        self.url = url
    }

    /// Takes note of how one logs in by a profile.
    mutating func take(_ profile: Profile) {
        let traits = profile.traits
        (fields, asksForConsent, opensWindow) = (profile.fields, traits.asksForConsent, traits.opensWindow)
        keepsNothing = profile.settings.persist == Persistence.none
        machine = profile.oauth.flatMap { MachineProofName($0) }
    }

    /// `blog (https://blog.example)`, as far as it is known.
    var name: String? {
        switch (profile, origin) {
        case (let profile?, let origin?): "\(profile) (\(origin))"
        case (let profile?, nil): profile
        case (nil, let origin?): "\(origin)"
        case (nil, nil): nil
        }
    }

    /// The end of a cancelled command: the steps that were done, if any.
    var cancellation: String {
        guard !done.isEmpty else { return "cancelled; nothing was changed" }
        return (["cancelled"] + done.map(\.words)).joined(separator: "; ")
    }

    /// What to do about a value that cannot be sent.
    func enteringAgain(_ field: CredentialField) -> String {
        guard field == .password, let passwordSource else { return "enter it again" }
        return "it came from \(passwordSource); correct it there, or change it at the service"
    }

    /// `authctl login blog -u ann`: what was typed, quoted for a shell.
    var loginCommand: String { loginCommand([]) }

    /// The command with more options, each of which replaces a typed one of the same name.
    func loginCommand(_ more: String...) -> String { loginCommand(more) }

    fileprivate func loginCommand(_ more: [String]) -> String {
        var kept: [String] = [], rest = options[...]
        while let word = rest.popFirst() {
            if !word.hasPrefix("-") || !more.contains(word) {
                kept.append(word)
            } else if rest.first?.hasPrefix("-") == false {
                rest.removeFirst()
            }
        }
        // What only a login that is kept has.
        let needsLogin = more.contains { ["--force", "--store", "--persist", "--paste"].contains($0) }
        let command = needsLogin ? ["login"] : command
        return ShellCommand(["authctl"] + command + [url ?? profile].compactMap { $0 } + kept + more).description
    }

    /// The advice for choosing another store.
    var otherStores: String {
        """
        choose another (authctl store list): \(loginCommand("--store", "STORE")), or keep nothing: \
        \(loginCommand("--persist", "none"))
        """
    }

    /// The advice for an authority that the system does not know.
    var wayToAuthority: String {
        if namesAuthorities { return "check the file of certificate authorities" }
        guard !hasProfile else { return "name the file of its authority as ca-file in the profile" }
        return "name the file of its authority: \(loginCommand("--ca-file", "FILE"))"
    }

    /// The command without options for approving: each excludes the others.
    var withoutWayToConsent: ErrorContext {
        var topic = self
        topic.options = []
        var rest = options[...]
        while let option = rest.popFirst() {
            switch option {
            case "--device", "--no-browser", "--qr": continue
            case "--browser": rest = rest.dropFirst()
            default: topic.options.append(option)
            }
        }
        return topic
    }

    /// `authctl switch blog`
    var switchCommand: String { ShellCommand(["authctl", "switch"] + [profile ?? "PROFILE"]).description }

    /// The name of the credential: "user name or password".
    var credentialName: String { machine?.words ?? provingFields.map(\.shownName).joined(separator: " or ") }

    private var provingFields: [CredentialField] { fields.isEmpty ? [.username, .password] : fields }

    /// The advice after a refusal.
    var check: String {
        if isCopied { return "log in again in the browser, copy a request that it sends after that" }
        if let machine { return machine.check(profile) }
        let names = provingFields.map(\.shownName)
        guard let last = names.last else { return "check the credential" }
        guard names.count > 1 else { return "check the \(last)" }
        return "check \(names.dropLast().joined(separator: ", ")) and \(last)"
    }

    /// Whether there is a profile that could be changed.
    var hasProfile: Bool { url == nil && profile != nil }
}

extension Advice {
    /// As a sentence for the one who typed the command.
    func text(_ topic: ErrorContext) -> String {
        parts.map { part in
            switch part {
            case .text(let text): text
            case .command(let options): topic.loginCommand(options)
            case .otherStores: topic.otherStores
            }
        }.joined()
    }
}

extension ErrorContext.Done {
    fileprivate var words: String {
        switch self {
        case .requestSent(let status): "the request was sent once (status \(status)) and not again"
        case .sessionErased: "the stored session was refused by the server and erased"
        case .passwordMarked: "the stored password was refused by the server and is not sent again automatically"
        }
    }
}

/// A machine's proof of identity, as messages name it.
enum MachineProofName: Equatable, Sendable {
    case secret
    case key(file: String)
    case identity(String)
    case certificate
    /// A client that only states its ID.
    case client

    /// - Returns: `nil` for the profile of a person.
    init?(_ oauth: OAuthProfile) {
        guard let machine = oauth.machine else { return nil }
        if let identity = machine.identity {
            self = .identity(identity.source.description)
        } else if let file = machine.keyFile {
            self = .key(file: file)
        } else if oauth.hasClientSecret {
            self = .secret
        } else {
            self = oauth.clientAuthentication == .tls ? .certificate : .client
        }
    }

    /// In a sentence.
    var words: String {
        switch self {
        case .secret: "client id or client secret"
        case .key(let file): "client, or assertion signed with \(SafeText.quoted(file))"
        case .identity(let source): "client, or \(source)"
        case .certificate: "client, or certificate"
        case .client: "client"
        }
    }

    /// The advice after a refusal.
    func check(_ profile: String?) -> String {
        switch self {
        case .secret: "check 'client-id' in the profile and the client secret"
        case .key:
            "check that the server knows the public key, and 'client-id' and 'audience-of-assertion' in the profile"
        case .identity:
            "compare its iss, sub and aud with the rule at the server: "
                + "\(ShellCommand("authctl", "whoami", profile ?? "PROFILE", "--explain"))"
        case .certificate: "check that the server knows the certificate, and 'client-id' in the profile"
        case .client: "check 'client-id' in the profile"
        }
    }
}

extension MachineIdentity.Source {
    /// For a message.
    var description: String {
        switch self {
        case .githubActions: "the identity of GitHub Actions"
        case .variable(let name): "the variable \(SafeText.quoted(name))"
        case .file(let path): "the file \(SafeText.quoted(path))"
        case .command(let words): "the output of \(SafeText.quoted(words[0]))"
        case .profile(let name): "the login of the profile \(SafeText.quoted(name))"
        }
    }
}
