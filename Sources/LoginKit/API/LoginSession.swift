/// A session, valid inside the closure that it was passed to. Afterwards every call fails.
public struct LoginSession: Sendable {
    let loginActor: LoginActor
    /// The profile that it belongs to.
    public let profile: Profile
    /// The identity: as the server said if it was asked, else as stored.
    public let identity: Identity

    /// Sends one request with the session attached. If the response means 'logged out', refreshes the session or logs in, and sends
    /// the request again.
    ///
    /// - Returns: the response, whatever its status. Redirects are not followed.
    /// - Throws: `LoginError.Code.untrusted` for a URL on another origin than the profile's, before anything is sent;
    ///   `LoginError.Code.forbidden` if the service refuses although the session is good; `LoginError.Code.loginRequired`, `.cancelled` and
    ///   others if a login became necessary and failed; `LoginError.Code.network` without a response; `CancellationError`, after which
    ///   the server may or may not have received the request.
    @discardableResult
    public func send(_ request: SessionRequest) async throws -> SessionResponse { try await loginActor.send(request) }

    /// Returns the header lines that carry the session, one `Name: value` per line, for requests that do not go through `send(_:)`.
    /// They are secret, and a `String` cannot be wiped from memory: use them at once and do not keep them.
    ///
    /// - Returns: `nil` if no header carries the session: a ticket, a certificate, Digest.
    /// - Throws: `LoginError.Code.failure` for a session that fits into no header, or once the closure has returned.
    public func headerLines() async throws -> String? { try await loginActor.headerLines() }
}
