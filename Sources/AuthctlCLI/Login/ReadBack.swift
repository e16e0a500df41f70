import ArgumentParser
import Glibc
import LoginCore
import LoginKit
import Secrets

/// Has another process read what this one wrote: some keyrings die with the process that made them, so that a test
/// inside of it passes and the next process finds nothing.
struct ReadBack {
    let store: any CredentialStore
    /// As given to this process; another configuration could stop the other one.
    let config: String?

    /// The stores that are no files.
    static func isNeeded(for store: StoreName) -> Bool {
        switch store {
        case .keyring, .secretService: true
        case .file, .plaintext, .helper, .shared, .none: false
        }
    }

    func run() throws(StoreFault) {
        let test = StoreTest()
        try store.save(test.secret, for: test.account, expires: nil)
        if let problem = problem(finding: test) {
            test.withdraw(from: store)
            throw .unavailable(store.name, problem: problem)
        }
        try store.erase(test.account)
    }

    /// The reason why a second authctl does not find the test's secret; `nil` if it does.
    private func problem(finding test: StoreTest) -> String? {
        let notFound = "another process cannot find what this one wrote"
        let command = ["/proc/self/exe", "store", "read-back", store.name.description]
        let words = command + (config.map { ["--config", $0] } ?? [])
        do throws(LoginFault) {
            return try PasswordCommand(words: words).run() == test.secret.base64 ? nil : notFound
        } catch .loginRequired(let need) where need.why == .passwordCommandFailed(status: ExitCode.store.rawValue) {
            return notFound
        } catch {
            return access(command[0], X_OK) == 0
                ? "the process that reads it back failed" : "/proc is not mounted, which its test needs"
        }
    }
}

/// The other process of `ReadBack`: prints the test's secret, which protects nothing.
struct StoreReadBackCommand: InvokedCommand {
    static let outline = CommandConfiguration(
        commandName: "read-back", abstract: "Used by 'store test'.", shouldDisplay: false)

    @Argument(help: "The store.")
    var store: String

    @OptionGroup var global: GlobalOptions

    func run(_ invocation: Invocation) throws(LoginFault) -> ExitCode {
        guard let name = StoreName(store) else {
            throw .usage(.badValue(option: "store", problem: "there is no such store"))
        }
        let found = try fromStore(try invocation.context.stores().open(name).find(StoreTest.account))
        guard let found else { return .store }
        try invocation.streams.result(found.base64)
        return .ok
    }
}
