import Glibc
import Secrets

/// A command that goes to the service's own URL: the proxy that it finds by variables, the certificate that it takes, and the login that
/// is lent to it there.
package final class UnchangedRun {
    private let server: SessionProxy
    private let proxy: ProxyPort
    private let authority: RunAuthority
    private let files: AuthorityFiles
    private let origin: Origin
    private let password: String?
    /// The port of the proxy; `nil` in a network of its own, and on another machine.
    private let port: Int?
    private let network: OwnNetwork?
    private let far: FarPlace?
    /// The proxy's, for the way from a machine.
    private let socket: SocketFile?
    private var connection: SSHConnection?

    /// Where the command runs.
    package enum Reach: Equatable, Sendable {
        /// On this machine, with its network or one of its own.
        case here, ownNetwork
        case machine(SSHMachine)
    }

    /// A machine, ssh's socket for the way there, and the proxy's for the way back.
    fileprivate struct FarPlace {
        let machine: SSHMachine
        let socket: String
        let proxy: String
    }

    /// A network for a run, its listeners, and its authority; or another machine.
    package struct Place {
        fileprivate let authority: RunAuthority
        fileprivate var network: OwnNetwork?
        fileprivate var listeners: [RunListener] = []
        fileprivate var far: FarPlace?
    }

    /// - Returns: the reason, in words, that a command cannot be led to this origin; `nil` if it can.
    package static func problem(with origin: Origin, _ reach: Reach) -> String? {
        if PeerAddress(text: origin.bareHost) != nil {
            "its origin is an address, and no certificate is made for one"
        } else if origin.scheme == "https", origin.host.contains("_") {
            "its name has an underscore, and GnuTLS accepts no such server name"
        } else if reach == .ownNetwork {
            nil
        } else if origin.isLoopback {
            "its origin is this machine, where programs use no proxy"
        } else if origin.scheme != "https" {
            "its origin has no TLS, so that programs send it no CONNECT"
        } else {
            nil
        }
    }

    /// Makes what a run needs, or says, before anybody logs in, that there cannot be such a run.
    package static func prepare(_ provider: SessionProvider, _ reach: Reach) throws(LoginFault) -> Place {
        let origin = try provider.context.connections.endpoint(provider.profile).origin
        if let problem = problem(with: origin, reach) {
            let isFar = if case .machine = reach { true } else { false }
            throw .usage(
                "\(isFar ? "authctl ssh" : "--unchanged") does not work for \(origin): \(problem)",
                next: isFar
                    ? "see 'On another machine' in authctl-serve(7)" : "use --serve, and the address that it makes")
        }
        try LoopbackServer.check(withTLS: true)
        var network: OwnNetwork?, listeners: [RunListener] = [], far: FarPlace?
        switch reach {
        case .here: break
        // The network first: its maker must see no remains of a key.
        case .ownNetwork:
            let made = try RunListener.network(for: origin)
            (network, listeners) = (made.network, made.listeners)
        case .machine(let machine):
            let context = provider.context
            let folder = RuntimeFolder(context.dependencies.environment, context.paths)
            folder.sweep(["ssh"])
            let socket = folder.newSocket("ssh", of: "control")
            try SocketFile.check(socket + String(repeating: "-", count: SSHConnection.longerName))
            far = FarPlace(machine: machine, socket: socket, proxy: folder.newSocket("ssh", of: "proxy"))
        }
        return Place(authority: try RunAuthority(for: origin.host), network: network, listeners: listeners, far: far)
    }

    /// - Parameters:
    ///   - place: as `prepare` made it, for one run.
    ///   - seconds: how long the login is lent; `nil` for as long as the command runs.
    ///   - wantsPassword: whether the proxy wants the password of the run.
    package init(
        _ provider: SessionProvider, _ authenticated: AccountSession, at place: Place, for seconds: Int?,
        limits: ServeLimits, others: OtherHosts, wantsPassword: Bool
    ) throws(LoginFault) {
        let context = provider.context, environment = context.dependencies.environment
        origin = authenticated.run.endpoint.origin
        authority = place.authority
        let word = Secret.random(count: 16).withUnsafeBytes { Hexadecimal.text($0) }
        let expected = wantsPassword ? Secret(joining: [Secret("Basic "), Secret("authctl:\(word)").base64]) : nil
        password = wantsPassword ? word : nil
        server = try SessionProxy(
            provider, authenticated, at: .origin(origin, place.authority.served, password: expected), for: seconds,
            limits: limits)
        files = try AuthorityFiles(authority, in: RuntimeFolder(environment, context.paths).path)
        (network, far) = (place.network, place.far)
        var listeners = place.listeners
        socket = try far.map { (far) throws(LoginFault) in try SocketFile(far.proxy, creating: true) }
        if let socket {
            listeners = [RunListener(descriptor: socket.descriptor, kind: .proxy)]
            port = nil
        } else if network == nil {
            let (descriptor, port) = try ServeSocket.onLoopback()
            listeners = [RunListener(descriptor: descriptor, kind: .proxy)]
            self.port = port
        } else {
            port = nil
        }
        proxy = ProxyPort(
            listeners, origin, password: expected, OtherHostDialer(hosts: others, environment: environment.proxies),
            server)
    }

    /// Lends the login from now on, until `stop`.
    /// - Parameters:
    ///   - image: the command, which finds the way there by its environment, or its network; `ssh` for one on another machine.
    ///   - settings: further variables of the command.
    package func start(
        _ image: inout ProgramImage, settings: [(name: String, value: String)]
    ) throws(LoginFault) {
        do {
            if let far, let password {
                image.words = try connect(far, password, settings, image.environment).map { Array($0.utf8CString) }
            } else {
                for (name, value) in settings { image.environment.set(name, to: value) }
                let user = password.map { "authctl:\($0)@" } ?? ""
                let way = port.map { (url: "http://\(user)127.0.0.1:\($0)", port: $0) }
                try files.apply(to: &image.environment, proxy: way, origin: origin)
            }
            if let network {
                network.covers = try files.covers()
                image.network = network
            }
            try server.start()
            try proxy.start()
        } catch {
            _ = stop()
            throw error
        }
    }

    /// - Returns: the words of ssh for the command.
    private func connect(
        _ far: FarPlace, _ password: String, _ settings: [(name: String, value: String)],
        _ environment: ProgramEnvironment
    ) throws(LoginFault) -> [String] {
        let start = SSHScripts.start(
            password: password, host: origin.host, fileName: authority.fileName, settings: settings,
            command: far.machine.command)
        let connection = try SSHConnection(
            to: far.machine, at: far.socket,
            script: SSHScripts.folder(authority: authority.authority, start: start), environment)
        self.connection = connection
        return try connection.command(leadingTo: far.proxy)
    }

    /// Closes everything; what was refreshed is stored.
    /// - Returns: the login as it is at last.
    @discardableResult
    package func stop() -> AccountSession {
        proxy.stop()
        socket?.remove()
        files.remove()
        connection?.end()
        return server.stop()
    }

    /// The words for a person if nothing has come; `nil` if something has.
    /// - Parameter command: its name.
    package func complaint(about command: String) -> String? {
        let seen = server.seen, name = SafeText.line(command, limit: 40)
        if seen.brokenHandshakes > 0 { return "\(name) did not accept the certificate of this run" }
        guard seen.requests == 0 else { return nil }
        // Some look at it after the handshake, and say nothing to the server.
        if proxy.connectedCount > 0 {
            return "\(name) connected, and sent no request; it may not accept the certificate of this run"
        }
        if proxy.unprovedCount > 0 {
            let hint = far == nil ? "; if it cannot, use --no-proxy-password" : ""
            return "\(name) did not send the password of the proxy\(hint)"
        }
        let hint = network == nil && far == nil ? "; if it ignores HTTPS_PROXY, try --own-network" : ""
        return "\(name) sent no request to \(origin) through this login\(hint)"
    }
}
