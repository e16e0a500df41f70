import LoginKit
import LoginCore
import Secrets

/// The command of an `exec`, with the login before it.
struct ExecutedCommand {
    let invocation: Invocation
    let provider: SessionProvider
    let image: ProgramImage
    let execEnvironment: ExecEnvironmentOptions
    /// Whether a stored session that is not past its end is good without asking the server.
    var isOffline = false
    /// The limits of what is served.
    var limits = ServeLimits()
    /// Seconds for each question about a request that is served.
    var answerTime = 60

    /// In the place of authctl, once the session is verified, or taken as it is stored.
    func become() throws(LoginFault) -> Ending {
        if execEnvironment.wantsToken { try checkHasToken() }
        return .become(try prepared(ExecEnvironment(try admitted())))
    }

    /// Beside authctl, which adds the session to what the command sends to an address on this machine.
    func serve() throws(LoginFault) -> Ending {
        let lending = try lending()
        let authenticated = try admitted()
        return try serve(ExecEnvironment(authenticated), authenticated, lending).ending
    }

    /// Nobody types a password for a server that cannot be started.
    private func lending() throws(LoginFault) -> Lending {
        try SessionProxy.check()
        return try Lending(execEnvironment, provider, answerTime: answerTime)
    }

    private func admitted() throws(LoginFault) -> SessionProvider.AuthenticatedSession {
        isOffline ? try provider.enterUnverified() : try provider.enter()
    }

    private func serve(
        _ execEnvironment: ExecEnvironment, _ authenticated: SessionProvider.AuthenticatedSession, _ lending: Lending
    ) throws(LoginFault) -> (ending: Ending, session: Session) {
        var image = try prepared(execEnvironment)
        let proxy = try lending.proxy(
            provider, authenticated, limits,
            account: execEnvironment.identity.accountName)
        try proxy.start()
        defer { lending.end() }
        image.environment.set("AUTHCTL_SERVE_URL", to: proxy.url)
        image.environment.removeAll(beginningWith: "AUTHCTL_SERVE_SOCKET=")
        if let path = proxy.socketPath { image.environment.set("AUTHCTL_SERVE_SOCKET", to: path) }
        image.environment.exceptFromProxy(proxy.socketPath == nil ? "127.0.0.1" : "authctl")
        // A refresh may be under way when the command ends.
        let hold = provider.context.interruptionHold()
        defer { withExtendedLifetime(hold) {} }
        let ending = run(image)
        return (ending, proxy.stop())
    }

    /// Beside authctl, with a login of its own that ends with it.
    func runOnce() throws(LoginFault) -> Ending {
        if execEnvironment.wantsToken { try checkHasToken() }
        let lending = execEnvironment.serves ? try lending() : nil
        let login = try EphemeralLogin(provider)
        var last: Session?
        // Whatever comes of the command, the session is there by now.
        defer { login.end(invocation, last) }
        guard let lending else { return run(try prepared(login.execEnvironment)) }
        let own = login.execEnvironment
        let served = try serve(
            own, .unkept(own.run, own.session, username: own.username, own.identity), lending)
        last = served.session
        return served.ending
    }

    /// Waits for its end.
    private func run(_ image: ProgramImage) -> Ending {
        do throws(ProgramImage.Absence) {
            switch try image.run() {
            case .exited(let status): return .status(status)
            case .signalled(let number): return .signal(number)
            }
        } catch {
            provider.context.warn("the command cannot be run: \(error.words)")
            return .status(error.status)
        }
    }

    private func prepared(_ session: ExecEnvironment) throws(LoginFault) -> ProgramImage {
        var image = image
        try session.apply(execEnvironment, to: &image)
        return image
    }

    /// Before anybody types anything: the profile knows whether its sessions have tokens.
    private func checkHasToken() throws(LoginFault) {
        let (context, profile) = (provider.context, provider.profile)
        guard profile.sessionRule.isCredential else {
            if profile.sessionRule.slots.contains(.token) { return }
            throw .usage(.commandGetsNoToken(method: .cookie))
        }
        if profile.traits.isProvedByCertificate { throw .usage(.commandGetsNoToken(method: .certificate)) }
        let pinned = try context.record(of: profile)?.pinnedMethod
        let method = pinned ?? profile.methods.first ?? .auto
        switch method {
        case .digest, .negotiate: throw .usage(.commandGetsNoToken(method: method))
        case .basic, .auto, .certificate, .cookie, .token, .oauth, .browser:
            throw .usage(.commandGetsNoToken(method: .basic))
        }
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
