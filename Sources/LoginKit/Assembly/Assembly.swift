import Glibc

/// The only place that builds `Dependencies`, and that knows every kind of login.
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
                    mask: $0.mask, timeout: $0.timeout, allowsBlankPassword: $0.allowsBlankPassword, holdsToEnd: true,
                    isCancelled: { SignalHold.isPending })
            },
            features: features(),
            showPage: { (settings, url, mayStart) throws(LoginFault) in
                try AuthorizationDialogue(settings).showPage(url, mayStart: mayStart)
            },
            transport: { CurlTransport(origin: $0, settings: $1) },
            tickets: .gssapi,
            postponement: Postponement(
                begin: { SignalHold.begin($0) }, end: { SignalHold.end() }, isPending: { SignalHold.isPending }),
            noticeLine: NoticeLine(
                show: { TerminalNotice.show($0) }, hide: { TerminalNotice.hide() },
                move: { TerminalNotice.move($0) }),
            discover: { (context, url, request) throws(LoginFault) in try URLDiscovery(context, request).target(of: url)
            },
            readCopiedLogin: { (context, text, profile, username) throws(LoginFault) in
                try CopiedLogin(context, profile).credential(in: text, username: username)
            },
            readNetrc: { (context, path, profile, username, allowsBlank) throws(LoginFault) in
                let entry = try NetrcFile.entry(
                    in: path, for: profile, username: username, allowsBlank: allowsBlank, context)
                return (entry.username, entry.password, entry.line)
            },
            sharedStores: { SharedStores(for: $0) },
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

    /// The table of login methods.
    static func features(
        consent: @escaping (AuthorizationSettings) -> any ConsentDialogue = { AuthorizationDialogue($0) },
        window: @escaping (AuthorizationSettings) -> any WindowDialogue = { ChromiumDialogue($0) }
    ) -> (LoginKind) -> LoginFeature {
        { kind in
            switch kind {
            case .challenge: LoginFeature { ChallengeLogin($0) }
            case .exchange(let earned): LoginFeature { RequestLogin($0, for: earned) }
            case .pasted: LoginFeature { PastedTokenLogin($0) }
            case .certificate: LoginFeature { CertificateLogin($0) }
            case .oauth:
                LoginFeature {
                    OAuthLogin($0)
                } consent: {
                    GrantConsent($0, consent)
                }
            case .machine: .machine
            case .browser:
                LoginFeature {
                    WindowLogin($0)
                } consent: {
                    WindowConsent($0, window)
                }
            }
        }
    }

    /// Has a person go elsewhere by a dialogue: to consent, and to see a page of the service.
    mutating func ask(
        by consent: @escaping (AuthorizationSettings) -> any ConsentDialogue,
        window: @escaping (AuthorizationSettings) -> any WindowDialogue = { ChromiumDialogue($0) }
    ) {
        features = Self.features(consent: consent, window: window)
        showPage = { (settings, url, mayStart) throws(LoginFault) in
            try consent(settings).showPage(url, mayStart: mayStart)
        }
    }
}
