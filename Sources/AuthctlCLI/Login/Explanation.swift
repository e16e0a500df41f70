import LoginCore
import LoginKit

/// Explains in sentences why a login works or not. It holds no secret, so a person can send it to others.
struct Explanation: Encodable {
    struct Step: Encodable {
        let asked: String?
        let answer: String?
        let rule: String?
    }

    var profile: String?
    var url: String?
    /// The stored login.
    var login: String?
    /// The issuer and the scope of the grant.
    var granted: String?
    /// What says which machine this is.
    var identity: String?
    var steps: [Step] = []
    /// Where the user name is from.
    var name: String?
    /// `nil` where the message of the command says it.
    var conclusion: String?
    var details: [String] = []
    var next: String?
    var username: String?
    var code = ExitCode.ok

    private enum CodingKeys: String, CodingKey {
        case profile, url, login, granted, identity, steps, name, conclusion, details, next, username, code, exit
    }

    /// - Parameter context: reads the URL of the profile, which a person may have written with a password in it.
    init(_ profile: Profile?, _ context: LoginContext) {
        self.profile = profile?.name
        url = profile.flatMap { try? context.parse($0.url) }.map { "\($0.origin)\($0.path == "/" ? "" : $0.path)" }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(profile, forKey: .profile)
        try container.encodeIfPresent(url, forKey: .url)
        try container.encodeIfPresent(login, forKey: .login)
        try container.encodeIfPresent(granted, forKey: .granted)
        try container.encodeIfPresent(identity, forKey: .identity)
        try container.encode(steps, forKey: .steps)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encodeIfPresent(conclusion, forKey: .conclusion)
        try container.encode(details, forKey: .details)
        try container.encodeIfPresent(next, forKey: .next)
        try container.encodeIfPresent(username, forKey: .username)
        try container.encode(code.name, forKey: .code)
        try container.encode(code.rawValue, forKey: .exit)
    }

    /// The findings of the requests.
    mutating func take(_ walk: LoginTranscript, of profile: Profile?) {
        for step in walk.steps {
            let rule = step.evidence?.reason(by: profile?.rules(at: step.evidence?.step))
            let exchanges = TracedExchange.list(step.exchange)
            if exchanges.isEmpty, rule != nil { steps.append(Step(asked: nil, answer: nil, rule: rule)) }
            for (number, exchange) in exchanges.enumerated() {
                let isLast = number == exchanges.count - 1
                steps.append(Step(asked: exchange.asked, answer: exchange.answer, rule: isLast ? rule : nil))
            }
        }
    }

    mutating func end(_ error: LoginFault, about topic: ErrorContext) {
        let message = error.conclusion(about: topic)
        (conclusion, details, code) = (message.what + ".", message.details, error.exitCode)
        next = message.next.isEmpty ? nil : message.next
    }

    /// For a person.
    var text: String {
        var lines: [(label: String, text: String?)] = [
            ("Profile", profile.map { $0 + (url.map { " (\($0))" } ?? "") + "." })
        ]
        lines += [("Login", login), ("Granted", granted), ("Identity", identity)]
        for step in steps { lines += [("Asked", step.asked), ("Answer", step.answer), ("Rule", step.rule)] }
        if steps.isEmpty { lines.append(("Asked", "nothing; no request was sent.")) }
        lines += [("Name", name), ("So", conclusion)] + details.map { ("", $0) } + [("Next", next)]
        return lines.compactMap { line in
            line.text.map { SafeText.escaped("\(line.label.isEmpty ? " " : line.label + ":") \($0)", limit: 4000) }
        }.joined(separator: "\n")
    }
}

extension Profile {
    /// The rules for the response to one of its requests; `nil` for a request without rules of its own.
    fileprivate func rules(at step: LoginCore.Step?) -> ResponseRule? {
        switch step {
        case .verify: verify?.response
        case .login: loginSteps.count == 1 ? login?.response : nil
        case .refresh: refresh?.response
        case .logout: logout?.response
        case .page, nil: nil
        }
    }
}
