@testable import LoginKit
import Secrets

private let origin = Origin(scheme: "https", host: "p.example", port: 443)

/// A page, before a login and after it; the first byte chooses what its server says of the characters.
func readForm(_ bytes: UnsafeRawBufferPointer) {
    let url = ParsedURL(origin: origin, path: "/login/", query: nil, user: nil, password: nil)
    guard let first = bytes.first, let reader = try? HTMLFormReader(url: url) else { return }
    let types = ["text/html", "text/html; charset=utf-8", "text/html; charset=iso-8859-1", "x; charset=utf-16"]
    let response = HTTPResponse(
        status: 200, headers: [HTTPResponseField(name: "Content-Type", value: types[Int(first) % types.count])],
        body: Secret(copying: UnsafeRawBufferPointer(rebasing: bytes.dropFirst())))
    guard let page = try? reader.page(response) else { return }
    precondition(page.forms.count <= HTMLFormReader.most)
    precondition(page.forms.reduce(0) { $0 + $1.fields.count } <= HTMLFormReader.most)
    for names in [["username", "password"], ["u"], []] {
        guard let form = try? page.form(with: names, leadingTo: "/login/") else { continue }
        precondition(form.methods.first == "post" && form.actions.allSatisfy { $0.origin == origin })
        precondition(page.base.map { $0.origin == origin } ?? true)
        precondition(form.fields.allSatisfy { !$0.name.isEmpty })
    }
    checkLogin(page)
    checkWays(page)
    checkName(response)
}

/// What a search takes for a login leads nowhere else.
private func checkLogin(_ page: LoginPage) {
    guard let form = (try? page.loginForm()).flatMap({ $0 }) else { return }
    precondition(form.action.hasPrefix("/") && form.page == "/login/" && !form.passwordField.isEmpty)
    precondition(form.usernames.count <= 20 && form.otherFields.count <= 5)
    precondition(form.otherFields.allSatisfy { !$0.name.isEmpty && $0.name != form.passwordField })
}

/// What is asked after a login is on the own origin, and speaks of no end.
private func checkWays(_ page: LoginPage) {
    var search = VerifySearch(on: origin, after: page.refresh, asked: "/login/", loginPaths: ["/login/"]), count = 0
    search.add(page)
    while let candidate = search.next() {
        count += 1
        precondition(candidate.target.hasPrefix("/") && !candidate.target.lowercased().contains("logout"))
    }
    precondition(count <= 4)
    switch page.logout {
    case .link(_, let target), .linkWithNonce(_, let target), .form(_, let target), .described(let target, _):
        precondition(target.hasPrefix("/"))
    case nil: break
    }
}

/// Where a name is found, it is read again.
private func checkName(_ response: HTTPResponse) {
    guard let body = (try? ResponsePage(response, at: "https://p.example/login/")).flatMap({ $0 })?.body else { return }
    let facts = ParsedResponse(response: response, json: nil, html: body, origin: origin)
    guard let place = facts.place(of: "anna", missingIn: nil) else { return }
    precondition(facts.text(at: place) == "anna")
}

/// An XML body: what is found is text of an element, and a document type is refused.
func readXML(_ bytes: UnsafeRawBufferPointer) {
    let response = HTTPResponse(
        status: 207, headers: [HTTPResponseField(name: "Content-Type", value: "application/xml")],
        body: Secret(copying: bytes))
    guard let read = (try? response.xml()).flatMap({ $0 }) else { return }
    precondition(String(decoding: bytes, as: UTF8.self).contains("<!DOCTYPE") == false)
    for path in [["multistatus", "response", "href"], ["a"], ["a", "b"]] {
        guard let text = read(path) else { continue }
        precondition(text.utf8.count <= bytes.count * 8 && !text.contains("\0"))
    }
}
