// What `discover` says of where things come from. Text of a server is quoted and cut.
extension GuardedPlace {
    /// The reason that it proves a login.
    var evidence: String {
        let how =
            switch refusal {
            case .status(let status): "\(status) without a login"
            case .redirect(let status, let path): "\(status) to \(path.shown) without a login"
            case .form: "shows the login form without a login"
            case .elsewhere(let status, let origin): "\(status) to \(origin) without a login"
            case .name: "shows no user name without a login"
            }
        return namedBy.map { "\(how); named by \($0.shown)" } ?? how
    }
}

extension FoundLogout {
    /// The request, and where it was seen.
    var evidence: String {
        switch self {
        case .link(let page, let target): "GET \(target.shown), a link on \(page.shown)"
        case .linkWithNonce(let page, let path):
            "GET \(path.shown), a link on \(page.shown) that is looked up at each logout"
        case .form(let page, let action): "POST \(action.shown), a form or a link on \(page.shown)"
        case .described(let target, let description): "POST \(target.shown) in \(description.shown)"
        }
    }
}

extension FoundLogin {
    /// The evidence for this way to log in.
    var evidence: String? {
        switch self {
        case .challenge(_, let field), .token(_, let field):
            field.isEmpty ? "the service's description of itself" : "WWW-Authenticate: \(field.shown)"
        case .oauth(let server): server.evidence.isEmpty ? "the origin's metadata" : "the service's metadata"
        case .form(let form): "the form on \(form.page.shown)"
        case .browser(let origin): "the login is at \(origin)"
        case .passwordGrant(_, let description): "OAuth password flow in \(description.shown)"
        }
    }
}

extension FoundForm {
    /// The meaning of its fields.
    var evidence: String {
        let choice = usernames.isEmpty ? "" : " (one of \(usernames.map(\.shown).joined(separator: ", ")))"
        let name = usernameField.map { "name: field \($0.shown)\(choice), " } ?? "no name, "
        return "\(name)password: field \(passwordField.shown)"
    }
}

extension ProposedProfile {
    /// What was found, in a sentence or two, for the person who is asked to log in with it.
    var question: String {
        switch found.login {
        case .challenge(let schemes, _)?:
            let names = schemes.map(\.rawValue).joined(separator: ", ")
            return "Found a login at \(found.guarded?.target.plain ?? "this URL") (HTTP \(names))."
        case .oauth(let server)?:
            let place = server.issuer?.plain ?? "this service"
            let flows = server.flows.isEmpty ? "" : " (\(server.flows.joined(separator: ", ")))"
            return "Found an OAuth login at \(place)\(flows)." + (server.detour.map { " \($0.firstCapital)." } ?? "")
        case .token(let header, _)?:
            let field = header.map { " (header \(String($0.prefix { $0 != ":" }).plain))" } ?? ""
            return "Found a service that takes a token, which you make there\(field)."
        case .form(let form)?: return "Found a login form at \(form.page.plain) (\(form.fields))."
        case .browser(let origin)?: return "Found a login for a browser at \(origin)."
        case .passwordGrant(let path, _)?: return "Found a login with user name and password at \(path.plain)."
        case nil: return ""
        }
    }

    /// Stands before the answer.
    static let label = "Log in with it? [yes/no/details] "
}

extension FoundForm {
    /// The fields that a person fills in.
    fileprivate var fields: String {
        let names = usernames.isEmpty ? "" : ": one of \(usernames.map(\.plain).joined(separator: ", "))"
        let username = usernameField.map { "\($0.plain)\(names), " } ?? ""
        return username + passwordField.plain
    }
}

extension LabelledField {
    /// A hint at a field that a person may add to the profile.
    var remark: String { "the form also asks for \(label.shown): 'login.form' may have the field \(name.shown)" }
}

extension FoundServer {
    /// The evidence for the value of a key of `oauth`.
    func evidence(for key: String) -> String? {
        let place = evidence.last?.shown ?? "the origin's metadata"
        switch key {
        case "issuer": return evidence.isEmpty ? place : "authorization_servers in \(place)"
        case "resource": return "resource in \(place)"
        default: return "scope from the challenge or the metadata"
        }
    }

    /// The ways in which a person may consent.
    var flows: [String] {
        var flows: [String] = []
        if endpoints[.authorization] != nil { flows.append("browser") }
        if endpoints[.deviceAuthorization] != nil { flows.append("device") }
        return flows
    }

    /// Remarks for the person before the login.
    fileprivate var remarks: [String] {
        let client =
            endpoints[.registration].map { "client-id is not needed: \($0.text.shown) registers clients" }
            ?? "client-id has to be added: register a client with the redirect http://127.0.0.1/callback at the server"
        let revocation = endpoints[.revocation] == nil ? "does not revoke" : "revokes"
        return [client, "flows: \(flows.isEmpty ? "none" : flows.joined(separator: ", ")); \(revocation)"]
            + (detour.map { [$0] } ?? [])
    }

    /// A warning about the other servers to which its metadata leads.
    fileprivate var detour: String? {
        let others = SafeText.list(elsewhere.map(\.description))
        return others.isEmpty ? nil : "its metadata leads to other servers: \(others); go on only if you know why"
    }
}

extension Discovered {
    /// The requests that were sent, for the head of a profile.
    var summary: String {
        "\(requests) \(mcp == nil ? "GET " : "")\(requests == 1 ? "request" : "requests") without credentials, on "
            + origins.map(\.authority).joined(separator: " and ")
    }

    /// Remarks about the profile, and what was not detected.
    var remarks: [String] {
        var remarks: [String] = []
        switch login {
        case .oauth(let server)?: remarks += server.remarks
        case .form(let form)?:
            remarks += form.otherFields.map(\.remark)
            remarks.append(
                "not detected: verify.username and logout; to see the response to verify: authctl profile test NAME"
            )
            if case .form? = guarded?.refusal {
                remarks.append(
                    "if this page shows its form to logged-in users, too, it cannot verify a login; to find one that can: authctl login URL"
                )
            }
        case .token?: remarks.append("make a token at the service; the login asks for it")
        case .browser?:
            remarks.append("the login is made in a window of a browser; without a screen: authctl login NAME --paste")
            remarks.append(
                "not detected: verify.username and logout; the URL of an API that needs the login verifies best")
        case .challenge?, .passwordGrant?, nil: break
        }
        return remarks + seen.map(\.sentence) + (login == nil ? draft : [])
    }

    /// A profile to complete, which needs no more to be seen.
    private var draft: [String] {
        let example = "verify = { get = \"PATH\" }    # of a page, or an API, that wants a login"
        return [
            "no way to log in was seen. Where people log in with a browser, a profile of these lines opens a window, or takes a request that was copied there (authctl login NAME --paste):"
        ] + origins.prefix(1).map { "  url    = \"\($0)\"" } + [
            "  method = \"browser\"", "  " + (guarded.map { ProposedProfile.verify($0).written } ?? example),
            "if the service issues tokens, these lines instead of its method:",
            "  method  = \"token\"", "  session = { header = \"Authorization: Bearer {token}\" }",
            "more: authctl profile presets, authctl help config",
        ]
    }
}

extension Sighting {
    var sentence: String {
        switch self {
        case .refused(let target, let status): "\(target.shown) answers \(status), and does not say how to log in"
        case .unknownChallenge(let target, let scheme):
            "\(target.shown) wants \(scheme.shown), which authctl does not know"
        case .severalPasswords(let page):
            "a form on \(page.shown) has several password fields, so it is not a login form"
        case .scripts(let page):
            "\(page.shown) has no link or login form without JavaScript, which authctl does not run"
        case .multipartForm(let page):
            "the form on \(page.shown) is sent as multipart/form-data, which a profile cannot say"
        case .scriptedForm(let page):
            "the form on \(page.shown) has no action; JavaScript submits it"
        case .tooLarge(let page): "\(page.shown) is too large"
        case .unasked(let page, let seconds):
            "the search ended after \(seconds) seconds; \(page.shown) would have been asked next"
        case .openDescription(let target): "no operation in \(target.shown) needs a login and no parameters"
        }
    }
}

extension String {
    /// In quotes, and cut: a server may write anything.
    fileprivate var shown: String { SafeText.quoted(self, limit: 100) }

    /// As it is if it looks like a name or a URL, else as `shown`: no text of a server passes for ours.
    fileprivate var plain: String {
        let isPlain =
            utf8.count <= 100 && utf8.allSatisfy { (0x21...0x7e).contains($0) && !"()\"\\,;".utf8.contains($0) }
        return isPlain ? self : shown
    }
}
