import LoginCore

extension ServerTrust.Reason {
    /// As a sentence about the certificate.
    var words: String {
        switch self {
        case .selfSigned: "it is self-signed; no authority vouches for it"
        case .unknownAuthority: "its authority is not trusted"
        case .expired: "it or one of its authorities has expired"
        case .notYetValid: "it or one of its authorities is not valid yet"
        case .otherHost: "it is for another host"
        case .wrongPurpose: "it is not meant for servers"
        case .issuerNoAuthority: "its issuer is not allowed to issue certificates"
        case .tooWeak: "its key or that of an authority is too weak"
        case .badSignature: "a signature in its chain is wrong"
        case .invalid: "its chain is not valid"
        }
    }
}

extension ServerTrust {
    /// The facts to check, as names and values; text by others is escaped.
    var facts: [(name: String, value: String)] {
        [
            ("Subject", SafeText.line(subject)), ("Issuer", SafeText.line(issuer)),
            ("Valid", "\(CivilDate(notBefore)) to \(CivilDate(notAfter))"),
        ] + names
    }

    /// The hosts that it is for, if that is the fault.
    private var names: [(name: String, value: String)] {
        guard reasons.contains(.otherHost), !hosts.isEmpty else { return [] }
        let shown = hosts.prefix(10).map { SafeText.line($0) } + (hosts.count > 10 ? ["…"] : [])
        return [("Hosts", shown.joined(separator: ", "))]
    }

    /// The facts for a message, with every reason first.
    var details: [String] {
        reasons.map(\.words) + facts.map { "\($0.name.lowercased()): \($0.value)" } + ["fingerprint: \(fingerprint)"]
    }

    func message(_ topic: ErrorContext) -> Message {
        guard isAcceptable else {
            return Message(
                "the server's certificate cannot be trusted; nothing was sent", details: details,
                next: "the service's administrator has to fix it")
        }
        return Message(
            "the server's certificate is not trusted; nothing was sent", details: details,
            next: """
                \(remedy(topic)), or accept this certificate: \
                \(topic.loginCommand("--trust-fingerprint", "\(fingerprint)"))
                """)
    }

    /// Another authority mends nothing but an authority that is not known.
    private func remedy(_ topic: ErrorContext) -> String {
        var steps: [String] = []
        if reasons.contains(.otherHost) { steps.append("use the host name that it is for") }
        if reasons.contains(.selfSigned) || reasons.contains(.unknownAuthority) {
            steps.append(topic.wayToAuthority)
        }
        if reasons.contains(.notYetValid) { steps.append("check this machine's clock") }
        return steps.isEmpty ? "ask the service's administrator to renew it" : steps.joined(separator: " and ")
    }
}

/// A day of the calendar in UTC, as people compare it with today.
struct CivilDate: CustomStringConvertible {
    let description: String

    /// - Parameter time: in seconds of Unix time.
    init(_ time: Int64) {
        // Counted from 1 March of the year 0, so that a leap day ends its year; 146097 days are 400 years.
        let days = Self.floored(time, by: 86_400) + 719_468
        let era = Self.floored(days, by: 146_097)
        let day = days - era * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * month + 2) / 5 + 1
        let isNextYear = month >= 10
        description =
            "\(year + era * 400 + (isNextYear ? 1 : 0))-\(Self.two(month + (isNextYear ? -9 : 3)))-\(Self.two(dayOfMonth))"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }

    private static func floored(_ number: Int64, by divisor: Int64) -> Int64 {
        number / divisor - (number % divisor < 0 ? 1 : 0)
    }
}
