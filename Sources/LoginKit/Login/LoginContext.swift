import Secrets
import Synchronization

/// One piece of work with logins, such as a command: its dependencies, what was chosen for all of it, and what is worked out once.
package final class LoginContext {
    package let dependencies: Dependencies
    package private(set) var options: Options
    package let paths: Paths
    package let profiles: Configuration
    package private(set) var registry: AccountRegistry
    package let person: Person
    /// Whether the engines of shared stores are left alone, as the services are: what was read last is shown.
    package var isOffline = false
    /// Whether the environment's proxies are not for this work: requests to the engine of a shared store.
    var takesNamedProxyAlone = false
    /// Is told what is sent and answered, without secrets.
    package var trace: (@Sendable (String) -> Void)?
    /// The subject of the work, for its messages.
    package var topic = ErrorContext()
    /// The certificates that this run has accepted.
    var acceptance: TrustAcceptance?
    /// The store of a login that is not kept yet.
    var chosenStore: StoreName?
    private var remembered: AccountRegistryDocument?
    private var opened: Stores?

    /// - Throws: `usage` for a configuration that cannot be read, or a choice that makes no sense.
    package init(_ dependencies: Dependencies, _ options: Options, _ messages: Messages) throws(LoginFault) {
        self.dependencies = dependencies
        self.options = options
        person = Person(dependencies, options, messages)
        let environment = dependencies.environment
        paths =
            if let folder = options.folder { try fromUsage(try Paths(folder: folder, environment)) } else {
                try fromUsage(try Paths(environment, config: options.config))
            }
        profiles = try fromUsage(try Configuration(paths))
        registry = AccountRegistry(
            folder: paths.stateFolder, remembers: true, isCancelled: dependencies.isCancelled ?? { false })
        if let timeout = options.timeout, !(1...3600).contains(timeout) {
            throw .usage(.badValue(option: "--timeout", problem: "must be from 1 to 3600 seconds"))
        }
        // What an argument's bytes become where they are not UTF-8.
        if options.username?.contains("\u{FFFD}") == true { throw .usage(.invalidUTF8(.username)) }
    }

    /// Makes a part of the same work for another thread, or for another login: a store that is locked stays locked.
    init(partOf whole: LoginContext, for person: Person) {
        (self.person, dependencies) = (person, person.dependencies)
        (options, paths, profiles, registry) = (whole.options, whole.paths, whole.profiles, whole.registry)
        (acceptance, remembered, isOffline) = (whole.acceptance, whole.remembered, whole.isOffline)
        opened = whole.opened?.forOtherThread(dependencies.sharedStores(self))
    }

    /// A context for the login of a profile that lends its token. It asks nobody to log in, but may unlock a store. `-u`
    /// names an account of the borrower, so it is not passed on.
    func lending(_ messages: Messages? = nil) -> LoginContext {
        let part = LoginContext(partOf: self, for: person.lending(messages))
        (part.options.username, part.trace) = (nil, trace)
        return part
    }

    /// The profile of this name; from here on, messages are about it.
    package func profile(named name: String) throws(LoginFault) -> Profile {
        if profiles.source(of: name) != nil { topic = ErrorContext(profile: name) }
        return try prepared(fromUsage(try profiles.profile(named: name)))
    }

    /// The profile with the environment's settings. Messages are about it from here on.
    func prepared(_ written: Profile) throws(LoginFault) -> Profile {
        var profile = written
        try profile.settings.override(by: dependencies.environment)
        topic.take(profile)
        // In `-u name:password` as curl takes it, the rest must not be repeated by whatever comes next.
        if options.username?.utf8.contains(UInt8(ascii: ":")) == true, profile.traits.authenticatesRequests {
            throw .usage(.usernameHasColon)
        }
        topic.origin = try document().profile(profile.name).flatMap { $0.url == profile.url ? $0.origin : nil }
        topic.signup = profile.signupURL
        return profile
    }

    /// The account that is meant: of `-u`, or of `AUTHCTL_USERNAME` where the environment names this profile, as within an
    /// `exec`; `nil` for the active one.
    package func username(for profile: Profile) -> String? {
        let mayUse = dependencies.environment.mayGiveCredential(for: profile, isLogin: false)
        return options.username ?? (mayUse ? dependencies.environment["AUTHCTL_USERNAME"] : nil)
    }

    /// Selects profiles.
    package var selection: ProfileSelection { ProfileSelection(context: self) }

    /// The accounts that are stored.
    package var accounts: StoredAccounts { StoredAccounts(context: self) }

    /// Makes transports to servers.
    package var connections: Connections { Connections(context: self) }

    /// Reads what is remembered anew when it is next needed: other processes may have changed it.
    package func lookAgain() { remembered = nil }

    /// From now on a registry that a newer authctl wrote is read as far as it can be understood, to log out of what it names.
    package func readNewerRegistry() { registry.readsNewer = true }

    /// The account registry at the beginning of the work.
    package func document() throws(LoginFault) -> AccountRegistryDocument {
        if let remembered { return remembered }
        let document = try fromStore(try registry.read())
        remembered = document
        return document
    }

    /// Returns the record of a profile, unless it leads to another origin now: what was stored for that one is not this
    /// profile's any more.
    ///
    /// An unchanged `url` has the origin that was worked out before; only an edited one needs libcurl's parser.
    package func record(of profile: Profile) throws(LoginFault) -> ProfileRecord? {
        guard let record = try document().profile(profile.name) else { return nil }
        if record.url == profile.url { return record }
        return try URLParser.parsed(profile.url).origin == record.origin ? record : nil
    }

    /// The stores, with a passphrase from a file or, where that may be asked for, from the person.
    ///
    /// One for all of the work, so that a passphrase is asked for and turned into a key once.
    package func stores() -> Stores {
        if let opened { return opened }
        let asked = StorePassphrase(context: self)
        var place = Dependencies.StoreLocation(stateFolder: paths.stateFolder)
        place.holding = profiles.defaults.passphraseCache
        place.desktop = desktop
        place.shared = dependencies.sharedStores(self)
        place.anotherPassphrase = { (failures) throws(StoreFault) in try asked.another(after: failures) }
        let notice = LocalWorkNotice(dependencies.noticeLine)
        if person.showsNotice { place.deriving = { $0 ? notice.begin("Opening the encrypted file…") : notice.end() } }
        let stores = dependencies.stores(place) { () throws(StoreFault) in try asked.first() }
        opened = stores
        return stores
    }

    /// The desktop's keyring, which may ask a person to unlock it where that is allowed.
    private var desktop: DesktopSession {
        let notice = { [person] in person.say("waiting for the dialogue of the desktop's keyring") }
        let unlocking = DesktopSession.Unlocking.asking(seconds: person.patience, notice: notice)
        return DesktopSession(
            unlocking: person.mayUnlock ? unlocking : .never, usualFolder: DesktopSession.usualFolder
        ) { [dependencies] in dependencies.environment[$0] }
    }
}

extension LoginContext {
    /// The options of one piece of work.
    package struct Options {
        /// The profile that is meant; `nil` if the environment or the configuration says it.
        package var profile: String?
        /// The account that is meant, by the name typed or the server's; `nil` for the active one.
        package var username: String?
        /// The folder for everything, configuration included, instead of the user's own.
        var folder: String?
        /// The configuration file, instead of the usual one.
        package var config: String?
        /// The time limit of one request, in seconds.
        package var timeout: Int?
        /// Whether asking is forbidden.
        package var noPrompt = false
        /// Whether a person may be told, on the terminal alone, that a server is asked.
        package var showsNotice = true
        /// Whether that may move.
        package var showsMovement = false
        /// Whether a person may be asked to log in, or for what else the work needs.
        package var mayAsk = false
        /// Whether a person may be asked to unlock a store.
        package var mayUnlock = false

        /// The defaults: no options, and no questions.
        package init() {}
    }
}

extension Profile.Settings {
    /// A variable goes before the file, and an option before both.
    package mutating func override(by environment: Environment) throws(LoginFault) {
        if let named = environment["AUTHCTL_PROXY"] { (proxy, proxySource) = (named, .variable("AUTHCTL_PROXY")) }
        caFile = environment["AUTHCTL_CA_FILE"] ?? caFile
        if let name = environment["AUTHCTL_STORE"] {
            guard name == "auto" || StoreName(name) != nil else {
                throw .usage(.badValue(option: "AUTHCTL_STORE", problem: "there is no such store"))
            }
            store = name
        }
        if let name = environment["AUTHCTL_PERSIST"] {
            guard let chosen = Persistence(rawValue: name) else {
                throw .usage(.badValue(option: "AUTHCTL_PERSIST", problem: "must be none, session or permanent"))
            }
            persist = chosen
        }
    }
}
