// Runs the person's side of a grant as its arguments say, as the loop of a login does, and prints what came of it on stdout, so that
// the tests have a program to run on a terminal of its own. It asks no server.
import CProcess
import Glibc
@testable import LoginKit
import Secrets

struct Arguments: Sendable {
    private let all = CommandLine.arguments

    func has(_ name: String) -> Bool { all.contains(name) }

    func value(_ name: String) -> String? {
        all.firstIndex(of: name).flatMap { $0 + 1 < all.count ? all[$0 + 1] : nil }
    }

    func number(_ name: String) -> Int? { value(name).flatMap { Int($0) } }
}

let arguments = Arguments()
let issuer = "https://id.example"
let state = "s0123456789"

func settings() -> AuthorizationSettings {
    var settings = AuthorizationSettings(
        profile: "notes", origin: Origin(scheme: "https", host: "notes.example", port: 443),
        hasPerson: !arguments.has("--no-person"),
        say: { line in
            print("said", line)
            fflush(nil)
        })
    settings.browser = arguments.value("--browser").map { $0.split(separator: " ").map(String.init) }
    settings.showsQR = arguments.has("--qr")
    settings.silence = arguments.number("--silence") ?? settings.silence
    return settings
}

func tell(_ answer: AuthorizationResponse) {
    switch answer {
    case .right(let code): print("code", code.unprotectedText)
    case .denied(let refusal): print("denied", refusal.code?.rawValue ?? "-")
    case .refused(let forgery): print("refused", forgery)
    case .notAnAddress(let fault): print("not an address", fault)
    }
    fflush(nil)
}

func visit(_ redirect: String) -> BrowserVisit {
    BrowserVisit(
        server: BrowserVisit.Server(name: issuer, scope: "openid notes:read"),
        url: "\(issuer)/authorize?response_type=code&client_id=authctl&state=\(state)", redirect: redirect,
        clientID: "authctl", starts: arguments.has("--starts"), insteadOfDevice: arguments.has("--instead"))
}

/// Waits as `AuthorizationFlow` does, until there is an answer to this login.
func browse(_ dialogue: AuthorizationDialogue) throws(LoginFault) {
    let redirect = arguments.value("--redirect").flatMap { LoopbackRedirect($0) } ?? LoopbackRedirect()
    let port = try dialogue.listen(on: redirect)
    print("port", port.number, port.isOpen ? "open" : "taken", dialogue.canStartBrowser ? "can start" : "cannot start")
    fflush(nil)
    try dialogue.show(visit(redirect.uri(port: port.number)))
    let judge = AuthorizationJudge(
        redirect: redirect, port: port.number, state: Secret(state), issuer: issuer, promisesIssuer: false)
    var wait = AuthorizationFlow.CallbackWait(
        hears: port.isOpen, asks: !arguments.has("--no-person"), seconds: arguments.number("--seconds") ?? 60)
    while let (answer, _) = try dialogue.awaitAnswer(wait, judge) {
        tell(answer)
        wait.complaint = nil
        switch answer {
        case .right, .denied: return
        case .refused(let forgery):
            if forgery.knowsState { wait.forgeries += 1 }
            wait.hears = wait.forgeries < AuthorizationFlow.mostForgeries
        case .notAnAddress(let fault): wait.complaint = fault
        }
    }
    print("nothing")
}

func approve(_ dialogue: AuthorizationDialogue) throws(LoginFault) {
    let server = BrowserVisit.Server(name: issuer, scope: arguments.value("--scope"))
    let response = HTTPResponse(
        status: 200, headers: [],
        body: Secret(
            """
            {"device_code":"d","user_code":"\(arguments.value("--user-code") ?? "FZX5-ASHU")",
            "verification_uri":"https://id.example/device",
            "verification_uri_complete":"https://id.example/device?code=FZX5-ASHU"}
            """))
    try dialogue.show(try DeviceAuthorization(response, rule: EndpointRule(), parse: parse), at: server)
    try dialogue.wait(milliseconds: arguments.number("--device") ?? 2000, secondsLeft: 898)
    print("waited")
}

/// Enough for the two URLs above.
func parse(_ text: String) -> EndpointURL? {
    let target = text.dropFirst(issuer.count).split(separator: "?")
    return EndpointURL(
        origin: Origin(scheme: "https", host: "id.example", port: 443), path: String(target[0]),
        query: target.count > 1 ? String(target[1]) : nil)
}

func agree(_ dialogue: AuthorizationDialogue) throws(LoginFault) {
    let server = ForeignServer(
        resource: EndpointURL(origin: Origin(scheme: "https", host: "notes.example", port: 443), path: "/mcp"),
        issuer: Origin(scheme: "https", host: "id.example", port: 443), others: [],
        evidence: ["WWW-Authenticate of the 401", "https://notes.example/.well-known/oauth-protected-resource/mcp"],
        registers: true)
    print("agreed", try dialogue.agree(to: server))
}

guard cprocess_harden() == .hardened else { exit(1) }
do throws(LoginFault) {
    let dialogue = AuthorizationDialogue(settings())
    if arguments.has("--agree") {
        try agree(dialogue)
    } else if arguments.has("--device") {
        try approve(dialogue)
    } else {
        try browse(dialogue)
    }
    exit(0)
} catch {
    print("error \(error)")
    exit(error.exitCode.rawValue)
}
