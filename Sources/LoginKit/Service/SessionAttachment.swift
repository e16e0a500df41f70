import Secrets

extension HTTPRequest {
    /// Adds what the session rule sends with a request.
    mutating func attach(_ session: Session, _ rule: SessionRule, _ values: SlotValues) throws(FillFault) {
        if session.credential == nil { cookies = session.cookies }
        for header in rule.headers(for: method) where header.value.isWanted(values) {
            let field = try header.filled(values)
            // Of a name that is filled in nobody can be told beforehand that it is the session's.
            if !header.name.slots.isEmpty { headers.removeAll { $0.hasName(field.name) } }
            headers.append(field)
        }
        if let name = values.extraSecrets[.userAgent] {
            headers.removeAll { $0.hasName("user-agent") }
            headers.append(HTTPRequestField(name: "User-Agent", value: name))
        }
        if let pair = rule.basic {
            let username = try pair.username.filled(values, .header).unprotectedText
            basic = BasicCredential(username: username, password: try pair.password.filled(values, .header))
        }
    }
}

/// Rethrows the fault of a template that cannot be filled in as a `LoginFault`.
func fromTemplate<Result>(_ body: @autoclosure () throws(FillFault) -> Result) throws(LoginFault) -> Result {
    do {
        return try body()
    } catch {
        throw error.asLoginFault
    }
}

extension FillFault {
    /// The fault as an error of the whole program.
    var asLoginFault: LoginFault {
        switch self {
        case .missing(.username): .loginRequired(LoginNeed(why: .nothingStored, missing: [.username]))
        case .missing(.password): .loginRequired(LoginNeed(why: .nothingStored, missing: [.password]))
        case .missing(.secret(let label)):
            .loginRequired(LoginNeed(why: .nothingStored, missing: [.secret(label)]))
        case .missing(let slot): .failure(.missingInResponse(place: "{\(slot.name)}", step: Step.login.rawValue))
        case .notForHeader(.username): .usage(.controlCharacter(.username))
        case .notForHeader(.password): .usage(.controlCharacter(.password))
        case .notForHeader(.token): .usage(.controlCharacter(.token))
        case .notForHeader(.secret(let label)): .usage(.controlCharacter(.secret(label)))
        case .notForHeader(let slot):
            .network(.brokenResponse("{\(slot.name)} contains a control character and cannot be sent in a header"))
        case .blankInHeader(let slot):
            .usage("the \(slot.name) begins or ends with a blank, or is not UTF-8; a header cannot carry it")
        case .severalCookies(let slot): .failure("the session has several cookies for {\(slot.name)}")
        case .notForHeaderName(let slot):
            .network(.brokenResponse("{\(slot.name)} cannot stand in the name of a header"))
        case .dotSegment(.username), .dotSegment(.password), .dotSegment(.ttl), .dotSegment(.secret):
            .usage("a path segment would be \".\" or \"..\"; nothing was sent")
        case .dotSegment(let slot):
            .network(.brokenResponse("{\(slot.name)} is \".\" or \"..\", which would lead to another path"))
        case .notInEncoding(let field, let encoding): .usage(.notInEncoding(field: field, encoding: encoding))
        case .tooLong(let limit): .usage("a request of the profile would be longer than \(limit) bytes")
        }
    }
}
