/// The login at a URL, as GET requests without credentials found it, with the source of each part.
package struct Discovered: Equatable, Sendable {
    /// The resource that refuses anonymous clients; `nil` if everything lets them in.
    package let guarded: GuardedPlace?
    /// `nil` where no way to log in was seen.
    package let login: FoundLogin?
    /// Further findings, for a person who continues by hand.
    package let seen: [Sighting]
    /// The names of the service: realms and page titles.
    package let names: [String]
    /// The number of requests it took.
    package let requests: Int
    /// The origins that were asked, the URL's own first.
    package let origins: [Origin]
    /// The logout, where the service's description of itself says one for this login.
    package var logout: FoundLogout?
    /// The form that was found, where nothing showed what it opens.
    package var formAlone: FoundForm?

    /// Paths and queries of what was found.
    package var paths: [String] {
        let form: FoundForm? = if case .form(let form)? = login { form } else { formAlone }
        return [form?.page, form?.action, guarded?.target].compactMap(\.self)
    }

    /// As it is before a login by that form, which shows what proves one: until then the form's absence does.
    package func logging(inBy form: FoundForm) -> Discovered {
        let place = GuardedPlace(
            target: form.page, refusal: .form(status: 200), namedBy: nil)
        return Discovered(
            guarded: place, login: .form(form), seen: seen, names: names,
            requests: requests, origins: origins)
    }
}

/// A place that answers differently with and without a login, so that asking it proves one.
package struct GuardedPlace: Equatable, Sendable {
    /// The way in which it refuses an anonymous client.
    package enum Refusal: Equatable, Sendable {
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
    package let target: String
    package let refusal: Refusal
    /// The source of the URL; `nil` if the person gave it.
    package let namedBy: String?
    /// The place where it repeats the user name, once a login has shown it.
    package var username: Place?
    /// The status with which it sends somebody on who is logged in; `nil` if it shows a page.
    package var sendsOn: Int?

    /// - Parameter namedBy: `nil` if the person gave the URL.
    package init(target: String, refusal: Refusal, namedBy: String?, username: Place? = nil) {
        (self.target, self.refusal, self.namedBy, self.username) = (target, refusal, namedBy, username)
    }

    /// The verify request that asks there.
    package var verify: RequestRule {
        var rule = RequestRule(method: "GET", path: Template(literal: target))
        rule.response.loggedOut = loggedOut
        if !loggedIn.isEmpty { rule.response.loggedIn = loggedIn.map { Condition(status: $0) } }
        rule.response.username = username
        return rule
    }

    /// The statuses of a login; empty for the usual 2xx.
    package var loggedIn: [Int] {
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

/// A way to log in.
package enum FoundLogin: Equatable, Sendable {
    /// By challenge (RFC 9110, section 11); the field as it came.
    case challenge([HTTPScheme], field: String)
    /// At an authorization server.
    case oauth(FoundServer)
    /// By a token that a person makes at the service, sent in this header; with what says so.
    case token(header: String?, field: String)
    /// By a form of a page.
    case form(FoundForm)
    /// In a browser: the URL leads to this origin, where the login is.
    case browser(at: Origin)
    /// A password for a token (RFC 6749, section 4.3), at this path, as the service's description of itself says.
    case passwordGrant(path: String, description: String)
}

/// An authorization server that the service leads to, and what it says it can do.
package struct FoundServer: Equatable, Sendable {
    package let issuer: String?
    package let resource: String?
    package let scope: String?
    package let endpoints: [OAuthEndpoint: EndpointURL]
    /// The ways in which clients may authenticate when they revoke; `nil` if the server does not say.
    package let revocationAuthentication: [String]?
    /// Where the service names the server, and what led there; empty where its own origin was tried.
    package let evidence: [String]
    /// Further servers to which its metadata leads.
    package var elsewhere: [Origin] = []
}

/// A form that takes a password.
package struct FoundForm: Equatable, Sendable {
    /// Path and query of its page, or of what leads there where its own URL is one session's alone.
    package var page: String
    /// Path and query to which it posts.
    package let action: String
    /// `nil` where it asks for a password alone.
    package let usernameField: String?
    package let passwordField: String
    /// The names to choose from, where it has a list of them; the first twenty.
    package var usernames: [String] = []
    /// What else a person may type into it and the page leaves empty, five at most.
    package var otherFields: [LabelledField] = []
    /// Whether a browser sends it without a script: it says where it leads, or has a button.
    package let isSubmittable: Bool
}

/// A field of a form, as the page shows it.
package struct LabelledField: Equatable, Sendable {
    /// As the form names it.
    package let name: String
    /// What a person reads beside it; the name where the page says nothing.
    package let label: String

    package init(name: String, label: String) {
        (self.name, self.label) = (name, label)
    }
}

/// Something that was seen and by itself is no way to log in.
package enum Sighting: Equatable, Sendable {
    /// An anonymous client is refused, and told nothing of a login.
    case refused(target: String, status: Int)
    /// A challenge that authctl does not know.
    case unknownChallenge(target: String, scheme: String)
    /// A form with several password fields: it sets one, or signs up.
    case severalPasswords(page: String)
    /// A page of scripts: what they make of it is not seen.
    case scripts(page: String)
    /// A form that is sent as for files, which profiles have no word for.
    case multipartForm(page: String)
    /// A form that does not say where it leads, on a page of scripts: they may send it in a way of their own.
    case scriptedForm(page: String)
    /// A page that is longer than what is read of one.
    case tooLarge(page: String)
    /// The next that would have been asked, after so many seconds of search.
    case unasked(page: String, after: Int64)
    /// An API description whose operations all let anonymous clients in, or cannot be asked without parameters.
    case openDescription(String)
}
