import LoginCore

extension LoginRequest {
    /// Where a given password is to be had from, what was chosen first.
    func suppliedPassword(_ profile: Profile, _ environment: Environment, mayUseVariables: Bool) -> SuppliedCredential?
    {
        let source =
            passwordSource ?? SuppliedCredential.variable(environment, mayUseVariables)
            ?? profile.settings.passwordCommand.map { .command($0) }
        return source.map { SuppliedCredential(source: $0, allowsBlank: allowsBlankPassword) }
    }

    /// Where the code of a second factor is to be had from, what was chosen first; it is not read before it is needed.
    func suppliedCode(_ profile: Profile, _ dependencies: Dependencies, mayUseVariables: Bool) -> SuppliedCode? {
        let variable: SuppliedCredential.Source? =
            mayUseVariables && dependencies.environment.code != nil ? .variable : nil
        guard let source = codeSource ?? variable ?? profile.settings.otpCommand.map({ .command($0) }) else {
            return nil
        }
        let supplied = SuppliedCredential(source: source, allowsBlank: false, kind: .code)
        return SuppliedCode(isSentAtOnce: profile.asksCodeAtOnce) { () throws(LoginFault) in
            try supplied.secret(dependencies)
        }
    }
}

extension SuppliedCredential {
    /// `AUTHCTL_PASSWORD`, else the file that `AUTHCTL_PASSWORD_FILE` names.
    static func variable(_ environment: Environment, _ mayUse: Bool) -> Source? {
        guard mayUse else { return nil }
        if environment.password != nil { return .variable }
        return environment["AUTHCTL_PASSWORD_FILE"].map { .file($0, option: "AUTHCTL_PASSWORD_FILE") }
    }
}
