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
    /// An escape sequence in it stands for no character, or for one that ends a text.
    case badEscape
    /// Copied in a form that is not read, such as PowerShell's; with its name.
    case otherForm(String)
    /// Neither a curl command nor a `Cookie:` line nor a cookies.txt.
    case unknownForm
    /// A curl command without a URL of http or https, or with several.
    case noURL
    /// The fields of its cookies have blanks between them, where the format has tabs.
    case blanksForTabs
    /// More cookies, or longer ones, than are sent with a request.
    case tooManyCookies
    /// None of its cookies would be sent to the service.
    case unsent(Unsent)
    /// Nothing in it is what the profile sends as its session; with what that would be.
    case noSession(wanted: [String])

    /// The reason why a cookie is not sent.
    package enum Unsent: Equatable, Sendable {
        case expired
        /// None is of this host itself.
        case otherHost(String)
        case otherPath
        /// They are for https, and the service is reached over http.
        case onlyHTTPS
    }
}
