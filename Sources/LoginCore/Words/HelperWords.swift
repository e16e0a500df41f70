extension HelperFault {
    /// - Parameter helper: what follows `helper:` in the store's name.
    func message(of helper: String) -> Message {
        let program = "docker-credential-\(SafeText.escaped(helper))"
        let inVain = "the store 'helper:\(SafeText.escaped(helper))' cannot be used: "
        return Message(inVain + what(program), next: next(program))
    }

    private func what(_ program: String) -> String {
        switch self {
        case .badName: "that is not the name of a helper that authctl runs"
        case .notInPath: "there is no program \(program) in the folders of PATH"
        case .writableByAll(let path):
            "everybody may write to \(SafeText.escaped(path)), so that \(program) there can be anybody's"
        case .notStarted(let path, let errno):
            "\(SafeText.escaped(path)) does not start (\(SystemWords.of(errno)))"
        case .failed(let method, let status, .none):
            "'\(program) \(method)' failed without a word (status \(status))"
        case .failed(let method, let status, .some(let words)):
            "'\(program) \(method)' failed (status \(status)) and said \(SafeText.quoted(words))"
        case .failed(let method, let status, .withheld):
            "'\(program) \(method)' failed (status \(status)); its words are left out, since they repeat what is secret"
        case .suppliedInVain(let method, let what):
            "'\(program) \(method)' says that it was given no \(what), and it was"
        case .tooMuch(let method, let limit): "'\(program) \(method)' printed more than \(limit) bytes"
        case .notUnderstood(let method): "what '\(program) \(method)' printed is not what the helpers of docker answer"
        case .otherEntry: "asked for one entry, \(program) answered with another"
        case .foreignSecret: "what \(program) holds for this account was not written by authctl"
        }
    }

    private func next(_ program: String) -> String {
        switch self {
        case .badName:
            "name one by what follows 'docker-credential-' in its program's name: letters, digits, '.', '_' and '-'"
        case .notInPath: "install it, or put its folder into PATH; a relative folder there does not count"
        case .writableByAll: "take that right away, or put another folder before it in PATH"
        case .failed, .notStarted: "see whether it works by itself: \(ShellCommand(program, "list"))"
        case .foreignSecret: "log in again to replace it: authctl login --force"
        case .suppliedInVain, .tooMuch, .notUnderstood, .otherEntry:
            "choose another with --store (authctl store list), or keep nothing with --persist none"
        }
    }
}
