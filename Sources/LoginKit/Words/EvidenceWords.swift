package import LoginCore

extension Evidence {
    /// One line: what the answer was taken for, and by which rule.
    package var words: String {
        let why = isAnonymous ? ", same as without a login" : rule.map { ", by rule \($0.number) of '\($0.key)'" } ?? ""
        switch judgement {
        case .accepted: return "accepted (status \(status))\(why)"
        case .refused(let refusal):
            if let place = missingName {
                let name = SafeText.quoted(place.description)
                return "logged out: no user name at \(name) (status \(status))\(refusal.quoted)"
            }
            let form = asksAgain ? ", the login form again" : ""
            return "\(refusedWord) (status \(status))\(form)\(why)\(refusal.quoted)"
        case .forbidden(let refusal): return "forbidden (status \(status))\(why)\(refusal.quoted)"
        case .needsSecondFactor(let words):
            return "wants a second factor (status \(status))\(why)\(Refusal(status: status, words: words).quoted)"
        case .pending: return "not yet (status \(status))\(why)"
        case .unclear(let error): return "undecided (status \(status)): \(error.message(about: ErrorContext()).what)"
        }
    }

    private var refusedWord: String {
        switch step {
        case .verify: "logged out"
        case .login, .refresh, .logout, .page: "refused"
        }
    }
}
