/// The reason why a pasted text gives no session.
package enum CopyFault: Error, Equatable, Sendable {
    /// Longer than `PastedText.limit`.
    case tooLong
    /// Of more than `ShellWords.most`.
    case tooManyWords
    /// A quotation or a line that goes on is not ended.
    case unfinished
    /// It has what a shell would run or fill in: a second command, a variable, a redirection.
    case shellSyntax
    /// Copied in a form that is not read, such as PowerShell's; with its name.
    case otherForm(String)
    /// Neither a curl command nor a `Cookie:` line nor a cookies.txt.
    case unknownForm
    /// A curl command without a URL, or with several.
    case noURL
    /// Nothing in it is what the profile sends as its session; with what that would be.
    case noSession(wanted: [String])
}
