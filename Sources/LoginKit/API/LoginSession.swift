public import LoginCore

/// A session, valid inside the closure that it was passed to. Afterwards every call fails.
public struct LoginSession: Sendable {
    let visit: LoginActor
    /// The profile that it belongs to.
    public let profile: Profile
    /// The identity: as the server said if it was asked, else as stored.
    public let identity: Identity

    /// Sends one request with the session attached. If the answer means 'logged out', the session is refreshed or somebody logs
    /// in, and the same request is sent once more.
    ///
    /// - Returns: the answer, whatever its status. Redirects are not followed.
    /// - Throws: `LoginError.Code.untrusted` for a URL on another origin than the profile's, before anything is sent;
    ///   `LoginError.Code.forbidden` for what the service refuses although it knows the session; `LoginError.Code.loginRequired`,
    ///   `.cancelled` and others where a login became necessary and did not come about; `LoginError.Code.network` where no answer
    ///   came; `CancellationError`, after which the server may have had the request or not.
    @discardableResult
    public func send(_ request: SessionRequest) async throws -> SessionResponse { try await visit.send(request) }

    /// The header lines with which the session goes along, `Name: value` one below the other, for what does not go through
    /// `send(_:)`. They are secret, and a `String` cannot be wiped from memory: use them at once and do not keep them.
    ///
    /// - Returns: `nil` if the session goes along in no header: a ticket, a certificate, Digest.
    /// - Throws: `LoginError.Code.failure` for a session that fits into no header, or once the block is over.
    public func headerLines() async throws -> String? { try await visit.headerLines() }
}
