import Glibc
import LoginCore
import LoginKit
import Secrets

/// What `profile add -` reads from standard input.
struct ProfileInput {
    private static let name = "standard input"
    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    /// - Throws: `usage` for what is no text, is too long, or has no profile in it.
    func offered(name: String?) throws(LoginError) -> OfferedProfiles {
        if invocation.context.world.isTerminal(STDIN_FILENO) {
            invocation.say("Paste the profile, and press Enter and Ctrl-D.")
        }
        let (bytes, isWhole) = try BodyInput("@-", option: Self.name).beginning(limit: FetchedProfiles.limit)
        guard isWhole, bytes.count <= FetchedProfiles.limit else { throw Self.fault("has more than 64 KiB") }
        guard let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) }) else {
            throw Self.fault("is not UTF-8")
        }
        return try LoginContext.fromConfig { () throws(UsageFault) in
            try OfferedProfiles(text, from: Self.name, name: name)
        }
    }

    private static func fault(_ problem: String) -> LoginError {
        .usage(.badConfig(file: name, path: nil, line: nil, problem: problem))
    }
}
