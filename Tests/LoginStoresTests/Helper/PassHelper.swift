@testable import LoginKit
import Foundation
import Testing

/// docker-credential-pass with a password store, a key without a passphrase, and an agent of its own.
final class PassHelper {
    let folder = TemporaryFolder()
    /// What the helper has to find in its environment.
    let variables: [String: String]

    init() throws {
        let gnupg = "\(folder.parent)/gnupg"
        variables = [
            "HOME": folder.parent, "GNUPGHOME": gnupg, "PASSWORD_STORE_DIR": "\(folder.parent)/pass",
            "PATH": "/usr/bin:/bin",
        ]
        try FileManager.default.createDirectory(
            atPath: gnupg, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let key = ["--batch", "--quiet", "--passphrase", "", "--quick-gen-key", "ann@example.invalid"]
        try run(["gpg"] + key + ["future-default", "default", "never"])
        try run(["pass", "init", "ann@example.invalid"])
    }

    deinit {
        do {
            try run(["gpgconf", "--kill", "all"])
        } catch {
            Issue.record(error, "the agent of the test's key goes on running")
        }
    }

    var assignments: [String] { variables.map { "\($0.key)=\($0.value)" } }
    var environment: ProgramEnvironment { ProgramEnvironment(variables) }
    var store: HelperStore { HelperStore(helper: "pass", environment: environment) }

    /// As pass keeps them, below the folder of docker's helpers: two for each account.
    var entries: [String] {
        let all = FileManager.default.enumerator(atPath: "\(folder.parent)/pass/docker-credential-helpers")
        return all?.compactMap { $0 as? String }.sorted() ?? []
    }

    @discardableResult
    func run(_ words: [String]) throws -> Finished {
        let result = try Program.run(["-i"] + assignments + words)
        guard result.status == 0 else { throw ProgramFailed(words: words, result: result) }
        return result
    }
}

/// A program that a test stands on did not work.
struct ProgramFailed: Error {
    let words: [String]
    let result: Finished
}

extension Need {
    static let passHelper = met(["sh", "-c", "command -v docker-credential-pass pass gpg"])
    static let secretServiceHelper = met([
        "sh", "-c", "command -v docker-credential-secretservice gnome-keyring-daemon dbus-daemon",
    ])
}
