/// A line that a profile lacks, made of what was seen of its service: for a person to paste, once they agree.
package struct RuleProposal: Equatable, Sendable {
    /// The request whose table lacks it.
    package let step: Step
    /// As a profile has it, such as `refused = [403]`.
    package let line: String

    /// The rule that the anonymous response of verify calls for.
    package init?(_ rule: ResponseRule, anonymous: AnonymousResponse?) {
        guard let anonymous, anonymous.meansLoggedOut, let known = rule.loggedOut.statuses,
            !known.contains(anonymous.status)
        else { return nil }
        let conditions = known.map { "\($0)" } + [anonymous.condition]
        (step, line) = (.verify, "logged-out = [\(conditions.joined(separator: ", "))]")
    }

    /// The rule for a verify that shows anonymous clients a login form.
    package init?(_ rule: ResponseRule, passwordField name: String?) {
        guard let name, name.utf8.allSatisfy(\.isPlainInURL), let known = rule.loggedOut.statuses else { return nil }
        let conditions = known.map { "\($0)" } + ["{ \"form:\(name)\" = \"*\" }"]
        (step, line) = (.verify, "logged-out = [\(conditions.joined(separator: ", "))]")
    }

    /// Proposes a rule for Basic where an anonymous client gets 401 and a login 403, which may be a wrong password or an account without rights.
    package init?(_ rule: ResponseRule, endOfBasic error: LoginFault) {
        guard case .forbidden(let refusal) = error, refusal.status == 403, refusal.scope == nil, rule.forbidden == nil,
            let known = rule.loggedOut == nil ? [401] : rule.loggedOut.statuses, !known.contains(403)
        else { return nil }
        let statuses = (known + [403]).map { "\($0)" }
        (step, line) = (.verify, "logged-out = [\(statuses.joined(separator: ", "))]")
    }

    /// The rule for a login that ended with a status that no rule names.
    package init?(_ rule: ResponseRule, end error: LoginFault) {
        guard case .failure(let fault) = error, let status = fault.possibleRefusal, let known = rule.refused.statuses
        else { return nil }
        let statuses = (known + [status]).map { "\($0)" }
        (step, line) = (.login, "refused = [\(statuses.joined(separator: ", "))]")
    }
}

extension [Condition]? {
    /// Those of a rule that names statuses alone; none for a rule that is not written. Another one is the author's to extend.
    fileprivate var statuses: [Int]? {
        guard let conditions = self else { return [] }
        let plain = conditions.filter(\.places.isEmpty).compactMap(\.status)
        return plain.count == conditions.count ? plain : nil
    }
}

extension AnonymousResponse {
    /// A `Location` with what TOML or a terminal could take for something else is left out.
    fileprivate var condition: String {
        guard let location, location.utf8.allSatisfy(\.isPlainInURL) else { return "\(status)" }
        return "{ status = \(status), \"header:Location\" = \"\(location)*\" }"
    }
}

extension UInt8 {
    /// Letters and digits of ASCII, and the marks of a URL that need no quoting anywhere.
    fileprivate var isPlainInURL: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "/-._~%:@".utf8.contains(self)
        }
    }
}

extension OtherFailure {
    /// The status of an answer to a login that may be how the service refuses: any 4xx but those that tell of a wrong path or
    /// verb, or of a request that came too slowly.
    package var possibleRefusal: Int? {
        guard case .unexpectedStatus(let status, step: Step.login.rawValue, _) = self else { return nil }
        return (400..<500).contains(status) && ![404, 405, 408, 410].contains(status) ? status : nil
    }
}
