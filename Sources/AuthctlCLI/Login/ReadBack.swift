import ArgumentParser
import Glibc
import LoginCore
import LoginStores
import Secrets

/// Has another process read what this one wrote: some keyrings die with the process that made them, so that a test
/// inside of it passes and the next process finds nothing.
struct ReadBack {
    let store: any CredentialStore

    func run() throws(StoreFault) {
        let test = StoreTest()
        try store.save(test.secret, for: test.account, expires: nil)
        let answer = Self.child(test.account.username)
        try store.erase(test.account)
        guard answer == test.secret.base64 else {
            throw .unavailable(store.name, problem: "another process does not find what this one wrote")
        }
    }

    /// What a second authctl prints for the test's account.
    private static func child(_ username: String) -> Secret? {
        let words = ["/proc/self/exe", "store", "read-back", username]
        let command = PasswordCommand(words: words)
        do throws(LoginError) {
            return try command.run()
        } catch {
            return nil
        }
    }
}

/// The other process of `ReadBack`: prints the test's secret, which protects nothing.
struct StoreReadBackCommand: WorldCommand {
    static let configuration = CommandConfiguration(
        commandName: "read-back", abstract: "Used by 'store test'.", shouldDisplay: false)

    @Argument(help: "The number of the test.")
    var number: String

    @OptionGroup var global: GlobalOptions

    var printsJSON: Bool { false }

    func run(_ invocation: Invocation) throws(LoginError) -> ExitCode {
        let found = try Invocation.fromStore { () throws(StoreFault) in
            try invocation.shelf().open(.keyring).find(StoreTest.account(number))
        }
        guard let found else { return .store }
        try invocation.world.streams.result(found.base64)
        return .ok
    }
}
