/// A response, with the page in it.
package struct PageLook {
    package let facts: ParsedResponse
    /// Whether it is a redirect to a page where people log in.
    let leadsToLogin: Bool
    package let page: LoginPage?

    /// - Parameters:
    ///   - page: `nil` for a response that is none.
    ///   - loginPaths: of the pages where people log in.
    package init(_ facts: ParsedResponse, _ page: LoginPage?, loginPaths: [String]) {
        (self.facts, self.page) = (facts, page)
        leadsToLogin = facts.redirectPath.map { path in loginPaths.contains { path.isLogin(of: $0) } } ?? false
    }

    /// Whether it repeats a user name that the other one does not have.
    package func names(_ username: String, missingIn other: PageLook) -> Bool {
        facts.place(of: username, missingIn: other.isOpen ? other.facts : nil) != nil
    }

    /// Whether its page has a way to log out that none of the others has.
    package func showsLogout(missingIn others: [PageLook]) -> Bool {
        page?.logout != nil && others.allSatisfy { $0.page?.logout == nil }
    }

    var redirectPath: String? { facts.redirectPath }

    /// Whether it is a page that wants nothing of a person to be sent, as a riddle does.
    package var wantsNothing: Bool {
        let fields = page?.forms.filter { $0.methods.contains("post") }.flatMap(\.fields) ?? []
        return isOpen && fields.allSatisfy { ["hidden", "submit", "button"].contains($0.type) }
    }

    package var isOpen: Bool { (200..<300).contains(facts.status) }

    var passwordFields: [String] {
        page?.forms.flatMap(\.fields).filter { $0.type == "password" && !$0.name.isEmpty }.map(\.name) ?? []
    }
}

extension ParsedResponse {
    /// The path of a redirect on the own origin.
    var redirectPath: String? {
        (300..<400).contains(status) && foreignRedirect == nil ? locationPath : nil
    }
}
