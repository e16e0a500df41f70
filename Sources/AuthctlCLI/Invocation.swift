import LoginCore
import LoginHTTP
import LoginStores
import Secrets

/// One run of one command: the world, the options that all commands have, and what is worked out of them once.
final class Invocation {
    let world: World
    let options: GlobalOptions
    let paths: Paths
    let profiles: Configuration
    let book: AccountRegistry
    /// Whether this command may ask a person to log in, and somebody is there to be asked.
    let mayAsk: Bool
    /// Whether it may ask a person to unlock a store, and somebody is there to be asked; most commands never come to ask that.
    var mayUnlock: Bool { isUnlockingAllowed && world.hasTerminal() }
    private let isUnlockingAllowed: Bool
    /// Seconds that a person has for each answer.
    var promptTimeout = World.DialogueSettings().timeout
    /// Is told what is sent and answered, without secrets; nothing for what `-v` says.
    var trace: (@Sendable (String) -> Void)?
    /// Whom the command is about, for its messages.
    var topic = ErrorContext()
    /// The options of a login that the command was typed with, as words.
    var loginOptions: [String] = []
    /// What this run has accepted of a server's certificate.
    var acceptance: TrustAcceptance?
    /// The store of a login that is not kept yet.
    var chosenStore: StoreName?
    private var remembered: AccountRegistryDocument?
    private var opened: StoreFactory?

    init(_ world: World, _ options: GlobalOptions, mayAsk: Bool = false, mayUnlock: Bool = false) throws(LoginError) {
        self.world = world
        self.options = options
        (paths, profiles) = try Invocation.fromConfig { () throws(UsageFault) in
            let paths = try Paths(world.environment, config: options.config)
            return (paths, try Configuration(paths))
        }
        book = world.book(paths.stateFolder)
        let isForbidden = options.noPrompt || (world.environment["AUTHCTL_NO_PROMPT"] ?? "0") != "0"
        self.mayAsk = mayAsk && !isForbidden && world.hasTerminal()
        isUnlockingAllowed = mayUnlock && !isForbidden
        if let timeout = options.timeout, !(1...3600).contains(timeout) {
            throw .usage(.badValue(option: "--timeout", problem: "must be from 1 to 3600 seconds"))
        }
        // What an argument's bytes become where they are not UTF-8.
        if options.username?.contains("\u{FFFD}") == true { throw .usage(.invalidUTF8(.username)) }
    }

    /// Says something to the person, unless they want quiet.
    func say(_ text: String) {
        if !options.quiet { world.streams.say(text) }
    }

    /// The profile of this name; from here on, messages are about it.
    func profile(named name: String) throws(LoginError) -> Profile {
        if profiles.source(of: name) != nil { topic = ErrorContext(profile: name) }
        var profile = try Invocation.fromConfig { () throws(UsageFault) in try profiles.profile(named: name) }
        try profile.settings.override(by: world.environment)
        topic.fields = profile.fields
        // In `-u name:password` as curl takes it, the rest must not be repeated by whatever comes next.
        if options.username?.utf8.contains(UInt8(ascii: ":")) == true, profile.answersChallenges {
            throw .usage(.usernameHasColon)
        }
        topic.origin = try document().profile(name).flatMap { $0.url == profile.url ? $0.origin : nil }
        topic.signup = profile.signupURL
        return profile
    }

    /// Whom the command is about, with how it was called: for the message that ends it.
    var typedTopic: ErrorContext {
        var topic = topic
        // The URL may have named the user.
        topic.options = options.words + (options.username == nil ? topic.options : []) + loginOptions
        return topic
    }

    /// What was remembered when the command began.
    func document() throws(LoginError) -> AccountRegistryDocument {
        if let remembered { return remembered }
        let document = try fromStore { () throws(StoreFault) in try book.read() }
        remembered = document
        return document
    }

    /// What is remembered of a profile, unless it leads to another origin now: what was stored for that one is not this
    /// profile's any more.
    ///
    /// The same text means the same origin, without a parser; only an edited `url` needs libcurl's.
    func record(of profile: Profile) throws(LoginError) -> ProfileRecord? {
        guard let record = try document().profile(profile.name) else { return nil }
        if record.url == profile.url { return record }
        return try parse(profile.url).origin == record.origin ? record : nil
    }

    /// Origin and base path of a profile, by libcurl's parser.
    func endpoint(_ profile: Profile) throws(LoginError) -> ServiceEndpoint {
        let url = try parse(profile.url)
        guard url.user == nil, url.password == nil, url.query == nil else {
            throw .usage(.badURL(url: url.text, problem: "a profile's url has neither user information nor a query"))
        }
        topic.origin = url.origin
        let path = url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path
        return ServiceEndpoint(origin: url.origin, base: url.origin.description + path)
    }

    func parse(_ url: String) throws(LoginError) -> ParsedURL {
        let parser = try world.urlParser()
        return try Invocation.fromConfig { () throws(UsageFault) in try parser.parse(url) }
    }

    /// The stores, with a passphrase from a file or, where this command may ask for it, from the person.
    ///
    /// One for the whole command, so that a passphrase is asked for and turned into a key once.
    func shelf() -> StoreFactory {
        if let opened { return opened }
        let asked = StorePassphrase(invocation: self)
        let place = World.ShelfPlace(
            stateFolder: paths.stateFolder, holding: profiles.defaults.passphraseCache, desktop: desktop,
            anotherPassphrase: { (failures) throws(StoreFault) in try asked.another(after: failures) })
        let shelf = world.shelf(place) { () throws(StoreFault) in try asked.first() }
        opened = shelf
        return shelf
    }

    /// The desktop's keyring, which may ask a person to unlock it where this command may have it do so.
    private var desktop: DesktopSession {
        let notice = { [unowned self] in say("authctl: the desktop asks about its keyring; waiting for the answer") }
        let unlocking = DesktopSession.Unlocking.asking(seconds: promptTimeout, notice: notice)
        return DesktopSession(unlocking: mayUnlock ? unlocking : .never) { [world] in world.environment[$0] }
    }

    /// Where the encrypted file is, or will be.
    var encryptedFile: String { "\(paths.stateFolder)/\(EncryptedFileStore.fileName)" }

    var dialogueSettings: World.DialogueSettings {
        World.DialogueSettings(mask: world.environment.mask, timeout: promptTimeout)
    }
}

extension Invocation {
    /// A fault of the configuration as the fault of a command.
    static func fromConfig<Result>(_ body: () throws(UsageFault) -> Result) throws(LoginError) -> Result {
        do throws(UsageFault) {
            return try body()
        } catch {
            throw .usage(error)
        }
    }
}

extension Profile.Settings {
    /// A variable goes before the file, and an option before both.
    mutating func override(by environment: Environment) throws(LoginError) {
        proxy = environment["AUTHCTL_PROXY"] ?? proxy
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
