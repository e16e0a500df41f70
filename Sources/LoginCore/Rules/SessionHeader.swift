package import Secrets

extension SessionRule {
    /// The header lines with which `session` is sent, for programs that send it themselves: `Name: value`, one below the
    /// other, those for requests that write last.
    ///
    /// - Parameter values: of the session, and what its login issued for later requests.
    /// - Returns: `nil` if the session is sent in no header. A header with `{csrf}` is left out (`fetchedHeaders`).
    /// - Throws: what of the profile's templates cannot be filled in, or not in a header.
    package func headerLines(_ session: Session, _ values: SlotValues) throws(FillFault) -> Secret? {
        var text = SecretBuilder(limit: RequestRule.bodyLimit)
        let pair = try basicPair(session, values)
        // What the service tells or shows for each request can only be left out.
        let fields = try (headers + writeHeaders).filter { $0.value.isWanted(values) }.map {
            (header) throws(FillFault) in try header.filled(values)
        }
        do throws(SecretBuilder.LimitExceeded) {
            if let pair {
                try text.append("Authorization: ")
                try text.appendBasic(pair.username, pair.password)
            }
            if !values.cookies.isEmpty {
                try text.append(text.count == 0 ? "Cookie: " : "\nCookie: ")
                try text.append(values.cookies)
            }
            for field in fields {
                try text.append("\(text.count == 0 ? "" : "\n")\(field.name): ")
                try text.append(field.value)
            }
        } catch {
            throw .tooLong(limit: error.limit)
        }
        return text.count == 0 ? nil : text.finish()
    }

    /// The names of the headers whose value is fetched for each request.
    package var fetchedHeaders: [String] {
        csrf?.path == nil ? [] : (headers + writeHeaders).filter { $0.value.slots.contains(.csrf) }.map(\.name.shown)
    }

    /// User name and password of RFC 7617: the credential itself, or the pair that is made of a token.
    /// - Returns: `nil` if the session is neither.
    /// - Throws: what of the profile's template cannot be filled in, or not in a header.
    package func basicPair(
        _ session: Session, _ values: SlotValues
    ) throws(FillFault) -> (username: Secret, password: Secret)? {
        switch session {
        case .credential(let credential):
            return credential.password.map { (Secret(credential.username ?? ""), $0) }
        case .cookies:
            return nil
        case .token:
            guard let pair = basic else { return nil }
            return (try pair.username.filled(values, .header), try pair.password.filled(values, .header))
        }
    }

    /// The scheme of the header `Authorization` and what follows it (RFC 9110, section 11.4).
    /// - Returns: `nil` if a token is sent in another header.
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
    /// The slot values of a request that carries `session`.
    /// - Parameter extraSecrets: beside it, above all what the login issued for later requests.
    package init(_ session: Session, username: String, _ extraSecrets: [CredentialField: Secret] = [:]) {
        self.init()
        self.username = username
        self.extraSecrets = extraSecrets
        switch session {
        case .credential: break
        case .token(let token):
            self.token = token.value
            refreshToken = token.refreshToken
            cookies = token.cookies
        case .cookies(let cookies):
            self.cookies = cookies
        }
    }
}
