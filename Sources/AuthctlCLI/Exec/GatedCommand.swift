import ChildPrograms
import LoginCore
import LoginHTTP
import LoginKit
import LoginStores
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
        let admission = isOffline ? try gate.enterUnverified() : try gate.enter()
        return .become(
            try prepared(
                Handover(
                    run: admission.run, session: admission.session, username: admission.username,
                    identity: admission.identity))
        )
    }

    /// Beside authctl, with a login of its own that ends with it.
    func runOnce() throws(LoginError) -> Ending {
        if handover.wantsToken { try checkHasToken() }
        let login = try EphemeralLogin(gate)
        // Whatever comes of the command, the session is there by now.
        defer { login.end(invocation) }
        let image = try prepared(login.handover)
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
            throw .usage(.tokenHasOnlyHeader(method: .cookie))
        }
        if profile.kind.isProvedByCertificate { throw .usage(.hasNoHeader(method: .certificate)) }
        let pinned = try context.record(of: profile)?.pinnedMethod
        switch pinned ?? profile.methods.first ?? .auto {
        case .digest: throw .usage(.hasNoHeader(method: .digest))
        case .negotiate: throw .usage(.hasNoHeader(method: .negotiate))
        case .basic, .auto, .certificate, .cookie, .token, .oauth: throw .usage(.tokenHasOnlyHeader(method: .basic))
        }
    }
}
