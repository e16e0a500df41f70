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

    /// Says, before anybody logs in, that there cannot be such a run.
    package static func check(_ provider: SessionProvider) throws(LoginFault) {
        let origin = try provider.context.connections.endpoint(provider.profile).origin
        let problem: String? =
            if PeerAddress(text: origin.bareHost) != nil {
                "its origin is an address, and no certificate is made for one"
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
    }

    /// - Parameters:
    ///   - seconds: how long the login is lent; `nil` for as long as the command runs.
    ///   - wantsPassword: whether the proxy wants the password of the run.
    package init(
        _ provider: SessionProvider, _ authenticated: AccountSession, for seconds: Int?, limits: ServeLimits,
        others: OtherHosts, wantsPassword: Bool
    ) throws(LoginFault) {
        let context = provider.context, environment = context.dependencies.environment
        origin = authenticated.run.endpoint.origin
        let authority = try RunAuthority(for: origin.host)
        let word = Secret.random(count: 16).withUnsafeBytes { Hexadecimal.text($0) }
        let expected = wantsPassword ? Secret(joining: [Secret("Basic "), Secret("authctl:\(word)").base64]) : nil
        password = wantsPassword ? word : nil
        server = try SessionProxy(
            provider, authenticated, at: .origin(origin, authority.served, password: expected), for: seconds,
            limits: limits)
        files = try AuthorityFiles(authority, in: RuntimeFolder(environment, context.paths).path)
        proxy = ProxyPort(
            try ServeSocket.onLoopback(), origin, password: expected,
            OtherHostDialer(hosts: others, environment: environment.proxies), server)
    }

    /// Lends the login from now on, until `stop`.
    /// - Parameter environment: of the command, which finds the way there by it.
    package func start(_ environment: inout ProgramEnvironment) throws(LoginFault) {
        do {
            let user = password.map { "authctl:\($0)@" } ?? ""
            try files.apply(
                to: &environment, proxy: "http://\(user)127.0.0.1:\(proxy.port)", port: proxy.port, origin: origin)
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
        return "\(name) sent no request to \(origin) through this login; it may ignore HTTPS_PROXY"
    }
}
