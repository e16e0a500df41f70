import Glibc
import Secrets

/// A command that goes to the service's own URL: the proxy that it finds by variables, the certificate that it takes, and the login that
/// is lent to it there.
package final class UnchangedRun {
    private let server: SessionProxy
    private let proxy: ProxyPort
    private let files: AuthorityFiles
    private let origin: Origin
    private let password: String?
    /// The port of the proxy; `nil` in a network of its own.
    private let port: Int?
    private let network: OwnNetwork?

    /// A network for a run, its doors, and its authority.
    package struct Place {
        fileprivate let network: OwnNetwork?
        fileprivate let doors: [RunDoor]
        fileprivate let authority: RunAuthority
    }

    /// Makes what a run needs, or says, before anybody logs in, that there cannot be such a run.
    /// - Parameter wantsNetwork: whether the command gets a network of its own.
    package static func prepare(_ provider: SessionProvider, wantsNetwork: Bool) throws(LoginFault) -> Place {
        let origin = try provider.context.connections.endpoint(provider.profile).origin
        let problem: String? =
            if PeerAddress(text: origin.bareHost) != nil {
                "its origin is an address, and no certificate is made for one"
            } else if wantsNetwork {
                nil
            } else if origin.isLoopback {
                "its origin is this machine, where programs use no proxy"
            } else if origin.scheme != "https" {
                "its origin has no TLS, so that programs send it no CONNECT"
            } else {
                nil
            }
        if let problem {
            throw .usage(
                "--unchanged does not work for \(origin): \(problem)",
                next: "use --serve, and the address that it makes")
        }
        try LoopbackServer.check(withTLS: true)
        // The network first: its maker must see no remains of a key.
        let made = wantsNetwork ? try RunDoor.network(for: origin) : nil
        return Place(network: made?.network, doors: made?.doors ?? [], authority: try RunAuthority(for: origin.host))
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
        let word = Secret.random(count: 16).withUnsafeBytes { Hexadecimal.text($0) }
        let expected = wantsPassword ? Secret(joining: [Secret("Basic "), Secret("authctl:\(word)").base64]) : nil
        password = wantsPassword ? word : nil
        server = try SessionProxy(
            provider, authenticated, at: .origin(origin, place.authority.served, password: expected), for: seconds,
            limits: limits)
        files = try AuthorityFiles(place.authority, in: RuntimeFolder(environment, context.paths).path)
        network = place.network
        var doors = place.doors
        if network == nil {
            let (descriptor, port) = try ServeSocket.onLoopback()
            doors = [RunDoor(descriptor: descriptor, kind: .proxy)]
            self.port = port
        } else {
            port = nil
        }
        proxy = ProxyPort(
            doors, origin, password: expected, OtherHostDialer(hosts: others, environment: environment.proxies), server)
    }

    /// Lends the login from now on, until `stop`.
    /// - Parameter image: the command, which finds the way there by its environment, or its network.
    package func start(_ image: inout ProgramImage) throws(LoginFault) {
        do {
            let user = password.map { "authctl:\($0)@" } ?? ""
            let way = port.map { (url: "http://\(user)127.0.0.1:\($0)", port: $0) }
            try files.apply(to: &image.environment, proxy: way, origin: origin)
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

    /// Closes everything; what was refreshed is stored.
    /// - Returns: the login as it is at last.
    @discardableResult
    package func stop() -> AccountSession {
        proxy.stop()
        files.remove()
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
            return "\(name) did not send the password of the proxy; if it cannot, use --no-proxy-password"
        }
        let hint = network == nil ? "; if it ignores HTTPS_PROXY, try --own-network" : ""
        return "\(name) sent no request to \(origin) through this login\(hint)"
    }
}
