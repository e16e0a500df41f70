package import Secrets

extension SessionRule {
    /// The header lines with which `session` is sent, for programs that send it themselves: `Name: value`, one below the
    /// other, those for requests that write last.
    ///
    /// - Parameter values: of the session, and what its login handed out for later requests.
    /// - Returns: nothing where the session goes along in no header.
    /// - Throws: what of the profile's templates cannot be filled in, or not in a header.
    package func headerLines(_ session: Session, _ values: SlotValues) throws(FillFault) -> Secret? {
        var text = SecretBuilder(limit: RequestRule.bodyLimit)
        if let (username, password) = try basicPair(session, values) { try text.writeBasic(username, password) }
        try text.writeCookies(values.cookies)
        // What the service has not told yet can only be left out; what is fetched is another program's to fetch.
        let isTold = csrf?.stale.isEmpty == false
        for header in headers + writeHeaders where !isTold || header.value.isWanted(values) {
            let field = try header.filled(values)
            try text.write("\(text.count == 0 ? "" : "\n")\(field.name): ")
            try text.write(field.value)
        }
        return text.count == 0 ? nil : text.finish()
    }

    /// User name and password of RFC 7617: the credential itself, or the pair that is made of a token.
    /// - Returns: nothing where the session is neither.
    /// - Throws: what of the profile's template cannot be filled in, or not in a header.
    package func basicPair(
        _ session: Session, _ values: SlotValues
    ) throws(FillFault) -> (username: Secret, password: Secret)? {
        switch session {
        case .credential(let credential):
            switch credential.kind {
            case .password(let password): return (Secret(credential.username ?? ""), password)
            case .token, .ticket, .certificate, .grant, .noSecret: return nil
            }
        case .cookies:
            return nil
        case .token:
            guard let pair = basic else { return nil }
            return (try pair.username.filled(values, .header), try pair.password.filled(values, .header))
        }
    }

    /// The scheme of the header `Authorization` and what follows it (RFC 9110, section 11.4).
    /// - Returns: nothing where a token goes along in another header.
    /// - Throws: what of the profile's template cannot be filled in, or not in a header.
    package func authorization(
        _ session: Session, _ values: SlotValues
    ) throws(FillFault) -> (scheme: String, value: Secret)? {
        guard case .token = session,
            let header = headers.first(where: { $0.shownName == "authorization" })
        else { return nil }
        let line = try header.value.filled(values, .header)
        return line.withUnsafeBytes { bytes in
            guard let blank = bytes.firstIndex(of: UInt8(ascii: " ")), blank > 0 else { return nil }
            let value = Secret(copying: UnsafeRawBufferPointer(rebasing: bytes[(blank + 1)...]))
            return (String(decoding: bytes[..<blank], as: UTF8.self), value)
        }
    }
}

extension SlotValues {
    /// What goes into the slots of a request that carries `session`.
    /// - Parameter extraSecrets: beside it, above all what the login handed out for later requests.
    package init(_ session: Session, username: String, _ extraSecrets: [CredentialField: Secret] = [:]) {
        self.init()
        self.username = username
        self.extraSecrets = extraSecrets
        switch session {
        case .credential: break
        case .token(let token):
            self.token = token.value
            refreshToken = token.refreshToken
        case .cookies(let cookies):
            self.cookies = cookies
        }
    }
}

extension SecretBuilder {
    /// RFC 6265, section 5.4.
    fileprivate mutating func writeCookies(_ cookies: [Cookie]) throws(FillFault) {
        if cookies.isEmpty { return }
        try write("Cookie: ")
        for (index, cookie) in cookies.enumerated() {
            try write(index > 0 ? "; \(cookie.name)=" : "\(cookie.name)=")
            try write(cookie.value)
        }
    }

    /// RFC 7617, section 2.
    fileprivate mutating func writeBasic(_ username: Secret, _ password: Secret) throws(FillFault) {
        var pair = SecretBuilder(limit: RequestRule.bodyLimit)
        try pair.write(username)
        try pair.write(":")
        try pair.write(password)
        try write("Authorization: Basic ")
        try write(pair.finish().base64)
    }
}
