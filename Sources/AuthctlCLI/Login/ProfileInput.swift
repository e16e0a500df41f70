import Glibc
import LoginCore
import LoginKit
import Secrets

/// The input of `profile add -`.
struct ProfileInput {
    private static let name = "standard input"
    private let invocation: Invocation

    init(_ invocation: Invocation) {
        self.invocation = invocation
    }

    /// - Throws: `usage` for what is no text, is too long, or has no profile in it.
    func offered(name: String?) throws(LoginFault) -> OfferedProfiles {
        if invocation.context.dependencies.isTerminal(STDIN_FILENO) {
            invocation.say("Paste the profile, and press Enter and Ctrl-D.")
        }
        let (bytes, isWhole) = try BodyInput("@-", option: Self.name).beginning(limit: FetchedProfiles.limit)
        guard isWhole, bytes.count <= FetchedProfiles.limit else {
            throw .usage(.badConfig(file: Self.name, path: nil, line: nil, problem: "has more than 64 KiB"))
        }
        return try LoginContext.fromConfig { () throws(UsageFault) in
            try OfferedProfiles(bytes, from: Self.name, name: name)
        }
    }
}
