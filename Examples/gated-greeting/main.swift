// Greets whoever is logged in at a service, and nobody else: one action behind a login.
//
//     gated-greeting URL FOLDER
//
// URL answers only who is logged in; FOLDER, an absolute path, is where the program remembers logins. A login that is stored
// and still good is used without a question.
import Glibc
import LoginCore
import LoginHTTP
import LoginStores
import LoginTerminal

func say(_ text: String) {
    _ = Array("\(text)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}

/// Looks for a login that is good, asks for one if there is none, and keeps it.
func logIn(to text: String, remembering folder: String) throws -> Identity {
    let url = try URLParser().parse(text)
    let verify = RequestRule(method: "GET", path: Template(literal: url.target))
    let profile = Profile(name: "gated-greeting", url: url.origin.description, verify: verify)
    let clock = WallClock { Int64(time(nil)) }

    let service = Service(
        profile: profile, endpoint: ServiceEndpoint(origin: url.origin, base: profile.url),
        transport: CurlTransport(origin: url.origin), clock: clock, tickets: .gssapi)
    let shelf = StoreFactory(folder: folder, clock: clock) { () throws(StoreFault) in throw .passphraseCancelled }
    let keeper = StoreKeeper(
        subject: StoreKeeper.Subject(profile: profile.name, url: profile.url, origin: url.origin),
        rules: StoreKeeper.Rules(), book: AccountRegistry(folder: folder),
        stores: StoreKeeper.Stores(
            choose: { () throws(StoreFault) in try shelf.chooser().choose() },
            open: { (name) throws(StoreFault) in try shelf.open(name) }),
        clock: clock)

    let flow = LoginFlow(
        subject: LoginFlow.Subject(
            profile: profile.name, protectionSpace: ProtectionSpace(origin: url.origin, method: .auto),
            fields: profile.fields),
        policy: LoginFlow.Policy(mayAsk: TerminalPrompt.hasTerminal))
    switch LoginLoop(keeper: keeper, service: service, prompt: TerminalPrompt()).run(flow) {
    case .alreadyLoggedIn(let identity), .loggedIn(let identity): return identity
    // A greeting is for somebody.
    case .continuedWithout: throw LoginError.cancelled
    case .failed(let error): throw error
    }
}

guard CommandLine.arguments.count == 3 else {
    say("usage: gated-greeting URL FOLDER")
    exit(ExitCode.usage.rawValue)
}
do {
    let identity = try logIn(to: CommandLine.arguments[1], remembering: CommandLine.arguments[2])
    print("Hello, \(SafeText.escaped(identity.displayName)).")
} catch let error as LoginError {
    say("gated-greeting: \(error.message(about: ErrorContext()).what)")
    exit(error.exitCode.rawValue)
} catch {
    say("gated-greeting: that is no URL of a service: \(SafeText.quoted(CommandLine.arguments[1]))")
    exit(ExitCode.usage.rawValue)
}
