/// A place that answers differently with and without a login, so that asking it proves one.
struct GuardedPlace: Equatable, Sendable {
    /// The way in which it refuses an anonymous client.
    enum Refusal: Equatable, Sendable {
        /// 401 or 403.
        case status(Int)
        /// It sends anonymous clients to this path.
        case redirect(status: Int, path: String)
        /// It shows the login's form in the place of its content.
        case form(status: Int)
        /// It sends anonymous clients to another origin.
        case elsewhere(status: Int, Origin)
        /// It shows the same page, without the user name.
        case name(status: Int)
    }

    /// Path and query.
    let target: String
    let refusal: Refusal
    /// The source of the URL; `nil` if the person gave it.
    let namedBy: String?
    /// The place where it repeats the user name, once a login has shown it.
    var username: Place?
    /// The status with which it sends somebody on who is logged in; `nil` if it shows a page.
    var sendsOn: Int?

    /// The verify request that asks there.
    var verify: RequestRule {
        var rule = RequestRule(method: "GET", path: Template(literal: target))
        rule.response.loggedOut = loggedOut
        if !loggedIn.isEmpty { rule.response.loggedIn = loggedIn.map { Condition(status: $0) } }
        rule.response.username = username
        return rule
    }

    /// The statuses of a login; empty for the usual 2xx.
    var loggedIn: [Int] {
        // Who is logged in may be sent on from there.
        if case .form = refusal { return [200, 302, 303] }
        if case .status(200..<300) = refusal { return sendsOn.map { [$0] } ?? [] }
        return sendsOn.map { [200, $0] } ?? []
    }

    /// `nil` for what is usual: 401, and the form of the login.
    private var loggedOut: [Condition]? {
        switch refusal {
        case .status(401), .form, .name, .elsewhere: return nil
        case .status(let status): return [Condition(status: 401), Condition(status: status)]
        case .redirect(let status, let path):
            let pattern = Condition.PlacePattern(place: .header("Location"), pattern: TextPattern("\(path)*"))
            return [Condition(status: 401), Condition(status: status, places: [pattern])]
        }
    }
}

extension Profile {
    /// Whether its verify was made of a form that is gone after a login, as is the page of a failure: each login has to show more. Nobody
    /// else names 200 without a place, since it proves a login anyway.
    var verifiesByForm: Bool {
        guard let rule = verify?.response, rule.username == nil else { return false }
        return rule.loggedIn?.contains(Condition(status: 200)) ?? false
    }
}
