public import Secrets

extension SessionRule {
    /// The header line with which `session` is sent, for programs that send it themselves: `Name: value`.
    ///
    /// Of several headers it is the first, those for requests that write last.
    /// - Returns: nothing where the session goes along in no header.
    public func headerLine(_ session: Session, username: String) throws(FillFault) -> Secret? {
        var line = SecretBuilder(limit: RequestRule.bodyLimit)
        switch session {
        case .credential(let credential):
            try line.writeBasic(Secret(credential.username ?? ""), credential.secret ?? Secret(""))
        case .cookies(let cookies):
            // RFC 6265, section 5.4.
            try line.write("Cookie: ")
            for (index, cookie) in cookies.enumerated() {
                try line.write(index > 0 ? "; \(cookie.name)=" : "\(cookie.name)=")
                try line.write(cookie.value)
            }
        case .token(let token):
            var values = SlotValues()
            values.username = username
            values.token = token.value
            values.refreshToken = token.refreshToken
            if let pair = basic {
                try line.writeBasic(
                    try pair.username.filled(values, .header), try pair.password.filled(values, .header))
            } else if let header = headers.first ?? writeHeaders.first {
                try line.write("\(header.name): ")
                try header.value.fill(values, .header, into: &line)
            } else {
                return nil
            }
        }
        return line.finish()
    }
}

extension SecretBuilder {
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
