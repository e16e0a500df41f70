import LoginKit
import Secrets

/// The command of an `exec`, with the login before it.
struct ExecutedCommand {
    let invocation: Invocation
    let provider: SessionProvider
    let image: ProgramImage
    /// What it is handed; `nil` for one on another machine.
    var execEnvironment: ExecEnvironmentOptions?
    /// `nil` if nothing is lent to it.
    let terms: LendingTerms?
    /// Whether a stored session that is not past its end is good without asking the server.
    var isOffline = false
    /// The limits of what is served.
    var limits = ServeLimits()
    /// Seconds for each question about a request that is served.
    var answerTime = 60

    /// In the place of authctl, once the session is verified, or taken as it is stored.
    func become() throws(LoginFault) -> Ending {
        if execEnvironment?.wantsToken == true { try checkHasToken() }
        return .become(try prepared(try admitted()))
    }

    /// Beside authctl, which adds the session to what the command sends to it.
    func serve(_ terms: LendingTerms) throws(LoginFault) -> Ending {
        let lending = try Lending(terms, provider, answerTime: answerTime)
        return try serve(try admitted(), lending).ending
    }

    private func admitted() throws(LoginFault) -> AccountSession {
        isOffline ? try provider.enterUnverified() : try provider.enter()
    }

    private func serve(
        _ authenticated: AccountSession, _ lending: Lending
    ) throws(LoginFault) -> (ending: Ending, account: AccountSession) {
        var image = try prepared(authenticated)
        if let run = try lending.unchanged(provider, authenticated, limits) {
            return try lend(unchanged: &image, run, lending)
        }
        let proxy = try lending.proxy(provider, authenticated, limits)
        try proxy.start()
        // After the address has stopped.
        defer { lending.desk.stop() }
        image.environment.set("AUTHCTL_SERVE_URL", to: proxy.url)
        image.environment.removeAll(beginningWith: "AUTHCTL_SERVE_SOCKET=")
        if let path = proxy.socketPath { image.environment.set("AUTHCTL_SERVE_SOCKET", to: path) }
        image.environment.exceptFromProxy(proxy.socketPath == nil ? "127.0.0.1" : "authctl")
        // A refresh may be under way when the command ends.
        let hold = provider.context.person.interruptionHold()
        defer { withExtendedLifetime(hold) {} }
        let ending = run(image)
        return (ending, proxy.stop())
    }

    private func lend(
        unchanged image: inout ProgramImage, _ run: UnchangedRun, _ lending: Lending
    ) throws(LoginFault) -> (ending: Ending, account: AccountSession) {
        defer { lending.desk.stop() }
        let settings = provider.profile.serve.placeholders.map { (name: $0, value: ServeSettings.placeholder) }
        if let warning = lending.terms.warning { provider.context.person.warn(warning) }
        try run.start(&image, settings: settings + lending.terms.placeholders)
        let hold = provider.context.person.interruptionHold()
        defer { withExtendedLifetime(hold) {} }
        let ending = self.run(image), account = run.stop()
        // A command that was not found, or cannot be run, is told of already.
        if case .status(126...127) = ending { return (ending, account) }
        if let complaint = run.complaint(about: limits.command) { provider.context.person.warn(complaint) }
        return (ending, account)
    }

    /// Beside authctl, with a login of its own that ends with it.
    func runOnce() throws(LoginFault) -> Ending {
        if execEnvironment?.wantsToken == true { try checkHasToken() }
        let lending = try terms.map { (terms) throws(LoginFault) in
            try Lending(terms, provider, answerTime: answerTime)
        }
        var account = try provider.enterOnce()
        // Whatever comes of the command, the session is there by now. It may have been refreshed.
        defer { end(account) }
        guard let lending else { return run(try prepared(account)) }
        let served = try serve(account, lending)
        account = served.account
        return served.ending
    }

    /// Ends the session at the server. What comes of it is said, and changes no exit code: that is the command's.
    private func end(_ account: AccountSession) {
        if case .credential = account.session, account.run.profile.logout == nil { return }
        let receipt = Receipt.ofUnstored(account), context = account.run.context
        let words = receipt.words(now: context.dependencies.clock.now())
        if receipt.problem != nil {
            context.person.warn(words)
        } else {
            invocation.say(words)
        }
    }

    /// Waits for its end.
    private func run(_ image: ProgramImage) -> Ending {
        do {
            switch try image.run() {
            case .exited(let status): return .status(status)
            case .signalled(let number): return .signal(number)
            }
        } catch {
            provider.context.person.warn("the command cannot be run: \(error.words)")
            return .status(error.status)
        }
    }

    private func prepared(_ authenticated: AccountSession) throws(LoginFault) -> ProgramImage {
        var image = image
        if let execEnvironment { try authenticated.apply(execEnvironment, to: &image) }
        return image
    }

    /// Before anybody types anything: the profile knows whether its sessions have tokens.
    private func checkHasToken() throws(LoginFault) {
        let (context, profile) = (provider.context, provider.profile)
        guard profile.sessionRule.isCredential else {
            if profile.sessionRule.slots.contains(.token) { return }
            throw .usage(.commandGetsNoToken(method: .cookie))
        }
        let pinned = try context.record(of: profile)?.pinnedMethod.flatMap { profile.accepts($0) ? $0 : nil }
        let method = pinned ?? profile.methods.first ?? .auto
        throw .usage(.commandGetsNoToken(method: method == .auto ? .basic : method))
    }
}

extension ProgramEnvironment {
    /// An address on this machine is not for the proxy that the environment names, if it names one.
    fileprivate mutating func exceptFromProxy(_ host: String) {
        guard ["http_proxy", "all_proxy", "ALL_PROXY"].contains(where: { self[$0] != nil }) else { return }
        let excepted = self["no_proxy"] ?? self["NO_PROXY"] ?? ""
        for name in ["no_proxy", "NO_PROXY"] { set(name, to: excepted.isEmpty ? host : "\(excepted),\(host)") }
    }
}

extension SessionProvider {
    /// Logs in for one command, whatever is stored, and keeps nothing of it.
    func enterOnce() throws(LoginFault) -> AccountSession {
        var request = request
        request.policy.force = true
        request.persist = Persistence.none
        return try LoginRun(context, profile, request).run(for: .trial)
    }
}

/// The address, log and approval desk of `exec --serve`.
struct Lending {
    let terms: LendingTerms
    private let place: ServePlace
    /// `nil` for a command that uses an address.
    private let unchangedPlace: UnchangedRun.Place?
    private let log: ServeLogWriter.Prepared?
    let desk: ApprovalDesk

    /// - Parameter answerTime: seconds for each question about a request.
    /// - Throws: before anybody logs in, for an address that there cannot be, or a log that cannot be written.
    init(_ terms: LendingTerms, _ provider: SessionProvider, answerTime: Int) throws(LoginFault) {
        let (context, profile) = (provider.context, provider.profile)
        self.terms = terms
        // Nobody types a password for a server that cannot be started.
        if case .unchanged(let reach, _, _) = terms.way {
            unchangedPlace = try UnchangedRun.prepare(provider, reach)
        } else {
            unchangedPlace = nil
            try SessionProxy.check()
        }
        let folder = RuntimeFolder(context.dependencies.environment, context.paths)
        folder.sweep(["serve", "approve"])
        place =
            switch terms.way {
            case .unchanged, .address(socket: nil): .port
            case .address(socket: "auto"): .socket(folder.newSocket("serve", of: profile.name), isOwn: true)
            case .address(socket: let path?): .socket(try fromUsage(try Paths.absolute(path)), isOwn: false)
            }
        let file = try terms.log.map { (file) throws(LoginFault) in try fromUsage(try Paths.absolute(file)) }
        let hasLog = file != nil || profile.serve.hasLog
        log = hasLog ? try .init(at: file, of: profile.name, in: context.paths) : nil
        desk = ApprovalDesk(
            folder.newSocket("approve", of: profile.name), profile: profile.name, seconds: answerTime
        ) { [messages = context.person.messages] in messages.warn($0) }
        try place.check()
    }

    func proxy(
        _ provider: SessionProvider, _ authenticated: AccountSession, _ limits: ServeLimits
    ) throws(LoginFault) -> SessionProxy {
        try SessionProxy(
            provider, authenticated, at: place, for: terms.seconds, limits: watched(limits, provider, authenticated))
    }

    func unchanged(
        _ provider: SessionProvider, _ authenticated: AccountSession, _ limits: ServeLimits
    ) throws(LoginFault) -> UnchangedRun? {
        guard let unchangedPlace, case .unchanged(_, let others, let wantsPassword) = terms.way else { return nil }
        return try UnchangedRun(
            provider, authenticated, at: unchangedPlace, for: terms.seconds,
            limits: watched(limits, provider, authenticated), others: others, wantsPassword: wantsPassword)
    }

    private func watched(
        _ limits: ServeLimits, _ provider: SessionProvider, _ authenticated: AccountSession
    ) -> ServeLimits {
        var limits = limits
        let account = authenticated.identity.accountName
        (limits.log, limits.approver) = (log?.writer(profile: provider.profile.name, account: account), desk)
        return limits
    }
}

// The variables that give a command its login.
extension AccountSession {
    /// Where the file for curl is, and the one of its cookies: scripts take the numbers below 10 for themselves, and shells
    /// look for free ones from there on.
    private static let firstOwn: Int32 = 10

    func apply(_ options: ExecEnvironmentOptions, to image: inout ProgramImage) throws(LoginFault) {
        // The server may have chosen it: a NUL would make another's name of it.
        guard Secret(identity.accountName).isFreeOfControls else { throw .usage(.controlCharacter(.username)) }
        image.environment.set("AUTHCTL_PROFILE", to: run.profile.name)
        image.environment.set("AUTHCTL_ORIGIN", to: run.endpoint.origin.description)
        image.environment.set("AUTHCTL_USERNAME", to: identity.accountName)
        image.environment.set("AUTHCTL_EXEC", to: run.profile.name)
        image.environment.removeAll(beginningWith: "AUTHCTL_EPHEMERAL=")
        // A nested authctl cannot find this login, since it is not stored.
        if !isKept { image.environment.set("AUTHCTL_EPHEMERAL", to: run.profile.name) }
        // What the profile is found in, also from another folder.
        let paths = run.context.paths
        if paths.isConfigNamed { image.environment.set("AUTHCTL_CONFIG", to: paths.configFile) }
        if options.wantsToken {
            guard case .token(let token) = session else { throw .usage(.commandGetsNoToken(method: .basic)) }
            // A NUL would cut it short.
            guard token.value.isHeaderSafe else { throw .usage(.controlCharacter(.token)) }
            if let name = options.env { token.value.withUnsafeBytes { image.environment.set(name, to: $0) } }
            if let number = options.fd { try hand(token.value.line, at: number, to: &image) }
        }
        if options.curlConfig { try handCurlConfig(to: &image, besides: options.fd) }
    }

    private func handCurlConfig(to image: inout ProgramImage, besides taken: Int32?) throws(LoginFault) {
        let numbers = (Self.firstOwn...Self.firstOwn + 2).filter { $0 != taken }
        let going = try run.service.attachment(of: session, username: username)
        var cookieFile: String?
        if !going.request.cookies.isEmpty {
            try hand(try CookieFile.text(of: going.request.cookies), at: numbers[1], to: &image)
            cookieFile = "/dev/fd/\(numbers[1])"
        }
        let config = CurlConfig(run: run, session: session, attachment: going, cookieFile: cookieFile)
        try hand(try config.text(), at: numbers[0], to: &image)
        image.environment.set("AUTHCTL_CURL_CONFIG", to: "/dev/fd/\(numbers[0])")
    }

    private func hand(_ secret: Secret, at number: Int32, to image: inout ProgramImage) throws(LoginFault) {
        do {
            let file = try secret.withUnsafeBytes { (bytes) throws(SealedFile.Failure) in try SealedFile(bytes) }
            image.hand(file, at: number)
        } catch {
            throw .failure(.system(call: "memfd_create", errno: error.errno))
        }
    }
}

extension Invocation {
    /// Takes away the variables that prove which machine this is: they stay on this side of a session that is lent.
    func withhold(from environment: inout ProgramEnvironment, of profile: Profile) {
        for name in context.profiles.identityVariables(of: profile) { environment.removeAll(beginningWith: name + "=") }
    }
}
