import LoginCore
import LoginKit

/// The address of an `exec --serve`, with its log and its approver, as options and profile want them.
struct Lending {
    private let place: ServePlace
    private let seconds: Int?
    private let log: ServeLogWriter.Prepared?
    private let desk: ApprovalDesk

    /// - Parameter answerTime: seconds for each question about a request.
    /// - Throws: before anybody logs in, for an address that there cannot be, or a log that cannot be written.
    init(_ options: ExecEnvironmentOptions, _ provider: SessionProvider, answerTime: Int) throws(LoginFault) {
        let (context, profile) = (provider.context, provider.profile)
        let folder = RuntimeFolder(context.dependencies.environment, context.paths)
        folder.sweep(["serve", "approve"])
        place = try Self.place(options.serveSocket, folder, profile)
        seconds = options.seconds
        log = try Self.log(options.log, context, profile)
        desk = ApprovalDesk(
            folder.newSocket("approve", of: profile.name), profile: profile.name, seconds: answerTime
        ) { [messages = context.messages] in messages.warn($0) }
        try place.check()
    }

    private static func place(
        _ socket: String?, _ folder: RuntimeFolder, _ profile: Profile
    ) throws(LoginFault) -> ServePlace {
        switch socket {
        case nil: .port
        case "auto": .ownSocket(folder.newSocket("serve", of: profile.name))
        case let path?: .socket(try absolute(path))
        }
    }

    private static func log(
        _ file: String?, _ context: LoginContext, _ profile: Profile
    ) throws(LoginFault) -> ServeLogWriter.Prepared? {
        if let file { return try .init(at: absolute(file)) }
        return profile.serve.hasLog ? try .init(of: profile.name, in: context.paths) : nil
    }

    private static func absolute(_ path: String) throws(LoginFault) -> String {
        do throws(UsageFault) {
            return try Paths.absolute(path)
        } catch {
            throw .usage(error)
        }
    }

    func proxy(
        _ provider: SessionProvider, _ authenticated: SessionProvider.AuthenticatedSession, _ limits: ServeLimits,
        account: String
    ) throws(LoginFault) -> SessionProxy {
        var limits = limits
        (limits.log, limits.approver) = (log?.writer(profile: provider.profile.name, account: account), desk)
        return try SessionProxy(provider, authenticated, at: place, for: seconds, limits: limits)
    }

    /// Ends what is beside the address, which has stopped by then.
    func end() { desk.stop() }
}
