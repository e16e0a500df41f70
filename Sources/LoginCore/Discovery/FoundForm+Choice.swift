import Secrets

extension LoginPage {
    /// The form that takes a password, if it is clear which: one form with one password field, be it there twice.
    /// - Throws: `untrusted` where it leads to another origin or into the URL.
    package func loginForm() throws(LoginFault) -> FoundForm? {
        let candidates = forms.filter { $0.passwordFields.count == 1 }
        guard let chosen = candidates.first, candidates.allSatisfy(chosen.isRepeated), !chosen.isMultipart,
            chosen.defaultButton?.isDisabled != true
        else { return nil }
        let form: PageForm
        do throws(LoginFault) {
            // As it is found again at each login: a form that signs up may have these fields, too.
            form = try self.form(
                with: chosen.fields.map(\.name), leadingTo: chosen.action?.target.withoutQuery ?? "")
        } catch .failure(.noSuchForm) {
            return nil
        }
        guard let action = form.action, let password = form.passwordFields.first else { return nil }
        let username = form.usernameField(before: password)
        var found = FoundForm(
            page: target.withoutSession, action: action.target.withoutSession, usernameField: username?.name,
            passwordField: password,
            isSubmittable: form.namesAction || !form.submitButtons.isEmpty && !form.hasSubmitHandler)
        found.usernames = username?.options ?? []
        found.otherFields = form.otherFields(than: username)
        return found
    }

    /// Whether there is a form that takes a password in a way that profiles have no word for.
    var takesFiles: Bool { forms.contains { $0.isMultipart && !$0.passwordFields.isEmpty } }

    /// Whether there is a form that sets a password.
    var setsPassword: Bool { forms.contains { $0.passwordFields.count > 1 } }
}

extension PageForm {
    fileprivate var passwordFields: [String] { fields.filter { $0.type == "password" }.map(\.name) }

    /// The last field before the password that a name is typed into, or a list of them.
    fileprivate func usernameField(before password: String) -> PageField? {
        let before = fields.prefix { $0.name != password }
        return before.last { Self.nameTypes.contains($0.type) } ?? before.last { $0.isListOfNames }
    }

    /// What a person would be asked for, too.
    fileprivate func otherFields(than username: PageField?) -> [LabelledField] {
        let typed = fields.filter { field in
            (Self.nameTypes + ["url", "number"]).contains(field.type) && field.value?.isEmpty ?? true
                && field.name != username?.name && !field.isOneTimeCode
        }
        return typed.prefix(5).map { LabelledField(name: $0.name, label: $0.label.isEmpty ? $0.name : $0.label) }
    }

    private static let nameTypes = ["text", "email", "tel"]
}

extension PageField {
    /// A list of languages or places may stand before a password, too.
    fileprivate var isListOfNames: Bool {
        let lower = name.lowercased()
        return type == "select" && !options.isEmpty
            && (lower == "name" || Self.wordsOfNames.contains { lower.contains($0) })
    }

    private static let wordsOfNames = [
        "user", "login", "account", "member", "benutzer", "konto", "utilisateur", "usuario",
    ]
}

extension String {
    package var withoutQuery: String { String(prefix { $0 != "?" }) }

    /// Path and query without what is one session's alone, and means nothing to the next: members of the query, and an id behind the path.
    package var withoutSession: String {
        let halves = split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        var path = halves.first.map(String.init) ?? ""
        if let id = path.lastIndex(of: ";"), path[id...].lowercased().contains("sess") { path = String(path[..<id]) }
        guard halves.count == 2 else { return path }
        let members = halves[1].split(separator: "&").filter { !Self.isOfSession($0) }
        return members.isEmpty ? path : "\(path)?\(members.joined(separator: "&"))"
    }

    /// Whether its query has a member that is one session's alone.
    package var namesSession: Bool {
        dropFirst(withoutQuery.count + 1).split(separator: "&").contains(where: Self.isOfSession)
    }

    private static func isOfSession(_ member: Substring) -> Bool {
        let name = member.prefix { $0 != "=" }.lowercased()
        return wordsOfSessions.contains { name.contains($0) } || !Array(member.utf8)[...].isSteady
    }

    private static let wordsOfSessions = ["token", "csrf", "nonce", "sess", "ticket"]
}
