import LoginKit
import LoginCore
import Secrets

/// The variables that give a command its login.
struct ExecEnvironment {
    let run: LoginRun
    let session: Session
    /// The values for the profile's templates.
    let username: String
    let identity: Identity
    /// Whether an authctl that the command starts finds it, too.
    let isStored: Bool

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
        if !isStored { image.environment.set("AUTHCTL_EPHEMERAL", to: run.profile.name) }
        // What the profile is found in, also from another folder.
        let paths = run.context.paths
        if paths.isConfigNamed { image.environment.set("AUTHCTL_CONFIG", to: paths.configFile) }
        if options.wantsToken {
            guard case .token(let token) = session else { throw .usage(.commandGetsNoToken(method: .basic)) }
            // A NUL would cut it short.
            guard token.value.isHeaderSafe else { throw .usage(.controlCharacter(.token)) }
            if let name = options.env { token.value.withUnsafeBytes { image.environment.set(name, to: $0) } }
            if let number = options.fd { try hand(token.value.line(), at: number, to: &image) }
        }
        if options.curlConfig { try handCurlConfig(to: &image, besides: options.fd) }
    }

    private func handCurlConfig(to image: inout ProgramImage, besides taken: Int32?) throws(LoginFault) {
        let numbers = (Self.firstOwn...Self.firstOwn + 2).filter { $0 != taken }
        let going = try run.service.attachment(of: session, username: username)
        var cookieFile: String?
        if !going.request.cookies.isEmpty {
            try hand(try CurlConfig.cookies(going.request.cookies), at: numbers[1], to: &image)
            cookieFile = "/dev/fd/\(numbers[1])"
        }
        let config = CurlConfig(run: run, session: session, attachment: going, cookieFile: cookieFile)
        try hand(try config.text(), at: numbers[0], to: &image)
        image.environment.set("AUTHCTL_CURL_CONFIG", to: "/dev/fd/\(numbers[0])")
    }

    private func hand(_ secret: Secret, at number: Int32, to image: inout ProgramImage) throws(LoginFault) {
        do throws(SealedFile.Failure) {
            let file = try secret.withUnsafeBytes { (bytes) throws(SealedFile.Failure) in try SealedFile(bytes) }
            image.hand(file, at: number)
        } catch {
            throw .failure(.system(call: "memfd_create", errno: error.errno))
        }
    }
}

extension ExecEnvironment {
    /// The facts of a session.
    init(_ authenticated: SessionProvider.AuthenticatedSession) {
        self.init(
            run: authenticated.run, session: authenticated.session, username: authenticated.username,
            identity: authenticated.identity, isStored: authenticated.isKept)
    }
}
