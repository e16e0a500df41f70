import LoginKit
import LoginCore
import Secrets

/// The command of an `exec`, with the gate before it.
struct GatedCommand {
    let invocation: Invocation
    let gate: Gate
    let image: ProgramImage
    let handover: HandoverOptions
    /// Whether a stored session that is not past its end is good without asking the server.
    var isOffline = false

    /// In the place of authctl, once the session is verified, or taken as it is stored.
    func become() throws(LoginError) -> Ending {
        if handover.wantsToken { try checkHasToken() }
        return .become(try prepared(Handover(try admitted())))
    }

    /// Beside authctl, which adds the session to what the command sends to an address on this machine.
    func serve() throws(LoginError) -> Ending {
        // Nobody types a password for a server that cannot be started.
        try SessionProxy.check()
        let admission = try admitted()
        return try serve(Handover(admission), admission).ending
    }

    private func admitted() throws(LoginError) -> Gate.Admission {
        isOffline ? try gate.enterUnverified() : try gate.enter()
    }

    private func serve(
        _ handover: Handover, _ admission: Gate.Admission
    ) throws(LoginError) -> (ending: Ending, session: Session) {
        var image = try prepared(handover)
        let proxy = try SessionProxy(gate, admission)
        image.environment.set("AUTHCTL_SERVE_URL", to: proxy.url)
        image.environment.exceptLoopback()
        try proxy.start()
        // A refresh may be under way when the command ends.
        let hold = gate.context.interruptionHold()
        defer { withExtendedLifetime(hold) {} }
        let ending = run(image)
        return (ending, proxy.stop())
    }

    /// Beside authctl, with a login of its own that ends with it.
    func runOnce() throws(LoginError) -> Ending {
        if handover.wantsToken { try checkHasToken() }
        if handover.serve { try SessionProxy.check() }
        let login = try EphemeralLogin(gate)
        var last: Session?
        // Whatever comes of the command, the session is there by now.
        defer { login.end(invocation, last) }
        guard handover.serve else { return run(try prepared(login.handover)) }
        let own = login.handover
        let served = try serve(own, .unkept(own.run, own.session, username: own.username, own.identity))
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
            gate.context.warn("the command cannot be run: \(error.words)")
            return .status(error.status)
        }
    }

    private func prepared(_ session: Handover) throws(LoginError) -> ProgramImage {
        var image = image
        try session.apply(handover, to: &image)
        return image
    }

    /// Before anybody types anything: the profile knows whether its sessions have tokens.
    private func checkHasToken() throws(LoginError) {
        let (context, profile) = (gate.context, gate.profile)
        guard profile.sessionRule.isCredential else {
            if profile.sessionRule.slots.contains(.token) { return }
            throw .usage(.commandGetsNoToken(method: .cookie))
        }
        if profile.kind.isProvedByCertificate { throw .usage(.commandGetsNoToken(method: .certificate)) }
        let pinned = try context.record(of: profile)?.pinnedMethod
        let method = pinned ?? profile.methods.first ?? .auto
        switch method {
        case .digest, .negotiate: throw .usage(.commandGetsNoToken(method: method))
        case .basic, .auto, .certificate, .cookie, .token, .oauth: throw .usage(.commandGetsNoToken(method: .basic))
        }
    }
}

extension ProgramEnvironment {
    /// An address on this machine is not for the proxy that the environment names, if it names one.
    fileprivate mutating func exceptLoopback() {
        guard ["http_proxy", "all_proxy", "ALL_PROXY"].contains(where: { self[$0] != nil }) else { return }
        let excepted = self["no_proxy"] ?? self["NO_PROXY"] ?? ""
        for name in ["no_proxy", "NO_PROXY"] { set(name, to: excepted.isEmpty ? "127.0.0.1" : "\(excepted),127.0.0.1") }
    }
}
