import Secrets

extension LoginPage {
    /// The form that takes a password, if it is clear which: one form with one password field.
    /// - Throws: `untrusted` where it leads to another origin or into the URL.
    func loginForm() throws(LoginFault) -> FoundForm? {
        let candidates = forms.filter { $0.passwordFields.count == 1 }
        guard candidates.count == 1, let chosen = candidates.first, !chosen.isMultipart,
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
        return FoundForm(
            page: target, action: action.target, usernameField: form.usernameField(before: password),
            passwordField: password,
            isSubmittable: form.namesAction || !form.submitButtons.isEmpty && !form.hasSubmitHandler)
    }

    /// Whether there is a form that takes a password in a way that profiles have no word for.
    var takesFiles: Bool { forms.contains { $0.isMultipart && !$0.passwordFields.isEmpty } }

    /// Whether there is a form that sets a password.
    var setsPassword: Bool { forms.contains { $0.passwordFields.count > 1 } }
}

extension PageForm {
    fileprivate var passwordFields: [String] { fields.filter { $0.type == "password" }.map(\.name) }

    /// The last field before the password that a name is typed into.
    fileprivate func usernameField(before password: String) -> String? {
        let typed = fields.prefix { $0.name != password }.filter { Self.nameTypes.contains($0.type) }
        return typed.last?.name
    }

    private static let nameTypes = ["text", "email", "tel"]
}

extension String {
    var withoutQuery: String { String(prefix { $0 != "?" }) }
}
