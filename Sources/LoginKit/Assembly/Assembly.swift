import Glibc

/// The only place that builds adapters, and that knows every kind of login.
extension Dependencies {
    /// The real one.
    /// - Parameter environment: taken out of the process's own, unless it is handed in.
    package static func real(_ environment: Environment = .taken()) -> Dependencies {
        let clock = WallClock(now: { Int64(time(nil)) }, wait: { sleep(UInt32(clamping: $0)) })
        return Dependencies(
            environment: environment,
            clock: clock,
            hasTerminal: { TerminalPrompt.hasTerminal },
            isTerminal: { isatty($0) == 1 },
            isInputPiped: { isPiped(STDIN_FILENO) },
            dialogue: {
                TerminalPrompt(
                    mask: $0.mask, timeout: $0.timeout, allowsBlankPassword: $0.allowsBlankPassword, holdsToEnd: true)
            },
            consent: { AuthorizationDialogue($0) },
            window: { AuthorizationDialogue($0) },
            transport: { CurlTransport(origin: $0, settings: $1) },
            tickets: .gssapi,
            procedure: procedure,
            postponement: Postponement(begin: { SignalHold.begin($0) }, end: { SignalHold.end() }),
            noticeLine: NoticeLine(
                show: { TerminalNotice.show($0) }, hide: { TerminalNotice.hide() },
                move: { TerminalNotice.move($0) }),
            stores: {
                Stores(
                    folder: $0.stateFolder, clock: clock, holding: $0.holding, shared: $0.shared, desktop: $0.desktop,
                    deriving: $0.deriving, another: $0.anotherPassphrase, passphrase: $1)
            })
    }

    private static func isPiped(_ descriptor: Int32) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFIFO || status.st_mode & S_IFMT == S_IFREG && status.st_size > 0
    }

    /// The procedure for each kind of login.
    static func procedure(
        _ client: ServiceClient, _ clock: WallClock, _ tickets: TicketCache, _ others: OriginTransports,
        _ options: Service.Options
    ) -> any LoginProcedure {
        switch client.profile.kind {
        case .challenge: ChallengeLogin(client, clock, tickets, options)
        case .exchange(let earned): RequestLogin(client, clock, for: earned)
        case .pasted: PastedTokenLogin(client)
        case .certificate: CertificateLogin(client, clock)
        case .oauth: OAuthLogin(client, clock)
        case .machine: MachineLogin(client, clock, others)
        case .browser: WindowLogin(client)
        }
    }
}
