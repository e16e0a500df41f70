import LoginCore

extension HelperFault {
    /// - Parameter store: the one that has the program.
    func message(of store: StoreName, _ topic: ErrorContext) -> Message {
        let program = SafeText.escaped(store.program ?? "\(store)")
        let inVain = "the store '\(SafeText.escaped("\(store)"))' cannot be used: "
        return Message(inVain + what(program, isShared: store.isShared), next: next(program, store, topic))
    }

    private func what(_ program: String, isShared: Bool) -> String {
        switch self {
        case .badName: "invalid helper name"
        case .notInPath: "\(program) was not found in PATH"
        case .writableByAll(let path):
            "everybody can write to \(SafeText.escaped(path)), so \(program) there cannot be trusted"
        case .notStarted(let path, let errno):
            "\(SafeText.escaped(path)) could not be started (\(SystemWords.of(errno)))"
        case .failed(let method, let status, .none):
            "'\(program) \(method)' failed without a message (status \(status))"
        case .failed(let method, let status, .some(let words)):
            "'\(program) \(method)' failed (status \(status)): \(SafeText.quoted(words))"
        case .failed(let method, let status, .withheld):
            "'\(program) \(method)' failed (status \(status)); its output is not shown, since it contains a secret"
        case .suppliedInVain(let method, let what):
            "'\(program) \(method)' ignored the \(what)"
        case .tooMuch(let method, let limit): "'\(program) \(method)' printed more than \(limit) bytes"
        case .notUnderstood(let method):
            "the output of '\(program) \(method)' \(isShared ? Self.expected(of: method) : "does not follow docker's protocol")"
        case .otherEntry: "\(program) returned another entry than the one it was asked for"
        case .foreignSecret: "the entry for this account in \(program) was not written by authctl"
        }
    }

    /// What a program of a shared store has not printed.
    private static func expected(of method: String) -> String {
        method == "get"
            ? "has to be a JSON object with the strings 'value' and 'version', or {}"
            : "has to be a JSON object with the string 'version', or with conflict = true"
    }

    private func next(_ program: String, _ store: StoreName, _ topic: ErrorContext) -> String {
        switch self {
        case .badName:
            "use the part of the program's name after '\(store.isShared ? "authctl-store-" : "docker-credential-")': letters, digits, '.', '_' and '-'"
        case .notInPath: "install it, or add its folder to PATH (relative folders are ignored)"
        case .writableByAll: "remove that permission, or put another folder before it in PATH"
        case .failed where store.isShared, .notStarted where store.isShared: "to test it: authctl store test \(store)"
        case .failed, .notStarted: "check whether it works: \(ShellCommand(program, "list"))"
        case .foreignSecret: "log in again to replace it: \(topic.loginCommand("--force"))"
        case .notUnderstood where store.isShared:
            "authctl-store(1) has the protocol; to test it: authctl store test \(store)"
        case .suppliedInVain, .tooMuch, .notUnderstood, .otherEntry: topic.otherStores
        }
    }
}
