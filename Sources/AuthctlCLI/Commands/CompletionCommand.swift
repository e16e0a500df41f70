import ArgumentParser

/// `authctl completion SHELL`
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion", abstract: "Print the completion script for a shell.",
        discussion: """
            Examples:
              authctl completion fish >~/.config/fish/completions/authctl.fish
            """)

    @Argument(help: "bash, zsh or fish.", completion: .list(["bash", "zsh", "fish"]))
    var shell: String

    func run() throws {
        guard let script = CompletionScript.all[shell] else {
            throw ValidationError("There is no completion for '\(shell)', only for bash, zsh and fish.")
        }
        throw CleanExit.message(script)
    }
}
