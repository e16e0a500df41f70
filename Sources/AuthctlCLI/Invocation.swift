import LoginKit

/// One run of one command: what it was typed with, where it talks, and the logins that it works with.
final class Invocation {
    let console: Console
    let options: GlobalOptions
    let context: LoginContext
    /// The command's own options that a next try needs as well, as words.
    var loginOptions: [String] = []

    init(
        _ dependencies: Dependencies, _ console: Console, _ options: GlobalOptions, mayAsk: Bool = false,
        mayUnlock: Bool = false
    ) throws(LoginFault) {
        self.console = console
        self.options = options
        var chosen = options.chosen
        (chosen.mayAsk, chosen.mayUnlock) = (mayAsk, mayUnlock)
        let streams = console.streams, isQuiet = options.quiet
        context = try LoginContext(
            dependencies, chosen,
            Messages(
                note: { if !isQuiet { streams.say(note: $0) } },
                warn: { if !isQuiet || !$0.hasPrefix(Streams.warning) { streams.say(note: $0) } },
                show: { streams.say(asIs: $0) }))
        if options.verbose { context.trace = { streams.say(asIs: SafeText.escaped($0, limit: 2000)) } }
    }

    /// Standard output for results, standard error for messages.
    var streams: Streams { console.streams }

    /// Says something to the person, unless they want quiet.
    func say(_ text: String) {
        if !options.quiet { streams.say(text) }
    }

    /// The same with words that stand out.
    func say(styled text: StyledText, wraps: Bool = true) {
        if !options.quiet { streams.say(styled: text, wraps: wraps) }
    }

    /// Says text to be copied; its lines are not wrapped.
    func say(asIs text: String) { say(styled: StyledText(text), wraps: false) }

    /// The provider of a session for an action, with the options of the login that may become necessary.
    func provider(_ profile: Profile, _ options: LoginOptions) throws(LoginFault) -> SessionProvider {
        loginOptions = options.keeping.words
        return try SessionProvider(context, profile, options.request)
    }

    /// The subject of the command and how it was called, for the message that ends it.
    var typedTopic: ErrorContext {
        var topic = context.topic
        // The URL may have named the user.
        let environment = context.dependencies.environment
        topic.environmentNamesURL = environment["AUTHCTL_VERIFY_URL"] != nil
        topic.isWithinUnstoredExec = topic.profile != nil && environment["AUTHCTL_EPHEMERAL"] == topic.profile
        topic.options = options.words + (options.username == nil ? topic.options : []) + loginOptions
        return topic
    }
}

extension GlobalOptions {
    /// The same for the logins. The lines of -v stand where the notice of a wait would, and say more.
    fileprivate var chosen: LoginContext.Options {
        var chosen = LoginContext.Options()
        chosen.profile = profile
        chosen.username = username
        chosen.config = config
        chosen.timeout = timeout
        chosen.noPrompt = noPrompt
        chosen.showsNotice = !quiet && !verbose
        chosen.showsMovement = color != ColorChoice.never.rawValue
        return chosen
    }
}
