// Asks what its arguments say at the controlling terminal and prints the answers in hexadecimal on stdout, so that the
// tests of the prompt have a program to run on a terminal of its own.
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
}

let arguments = Arguments()

/// Waits until the test has made a file of this name, a minute at most.
func awaitFile(_ name: String) {
    for _ in 0..<6000 {
        if access(name, F_OK) == 0 { return }
        usleep(10_000)
    }
}

let prompt = TerminalPrompt(
    mask: arguments.value("--mask") ?? "*", timeout: arguments.value("--timeout").flatMap { Int($0) } ?? 300,
    allowsBlankPassword: arguments.has("--blank"))

func hex(_ secret: Secret) -> String {
    secret.withUnsafeBytes { bytes in
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}

func field(_ name: String) -> CredentialField? {
    let known: [String: CredentialField] = ["username": .username, "password": .password, "token": .token]
    return known[name]
}

func challenge() -> Challenge {
    let fields = (arguments.value("--fields") ?? "username,password").split(separator: ",")
    let refusal = Refusal(
        status: 401, words: arguments.value("--words"), mayMeanForbidden: arguments.has("--forbidden"))
    let refused = arguments.value("--refused").flatMap { Int($0) }
    let blank = arguments.value("--left-blank").flatMap { field($0) }
    let stored: Challenge.Reason? = arguments.has("--stored") ? .storedRefused(refusal) : nil
    return Challenge(
        profile: "blog",
        protectionSpace: ProtectionSpace(
            origin: Origin(scheme: "https", host: "blog.example", port: 443), realm: arguments.value("--realm"),
            method: .basic),
        fields: fields.compactMap { field(String($0)) },
        proposedUsername: arguments.value("--proposed"), previousFailureCount: refused ?? 0,
        attempt: (refused ?? 0) + 1,
        maxAttempts: 3,
        reason: blank.map { .leftBlank($0) } ?? stored ?? (refused != nil ? .refused(refusal) : reason()))
}

func reason() -> Challenge.Reason {
    switch arguments.value("--reason") {
    case nil, "none": .notLoggedIn
    case "ended": .sessionEnded(at: nil)
    case "marked": .passwordRefusedBefore
    case let time?: .sessionEnded(at: Int64(time))
    }
}

func tell(_ answer: Answer) {
    switch answer {
    case .cancelled: print("cancelled")
    case .continueWithout: print("continue without")
    case .declined: print("declined")
    case .leftBlank(let field, _): print("blank \(field)")
    case .yes: print("retry true")
    case .no: print("retry false")
    case .trust(let answer): print("trust \(answer.rawValue)")
    case .code(let code): print("code", hex(code))
    case .credential(let credential, _):
        print("username", credential.username.map { hex(Secret($0)) } ?? "-")
        print("secret", credential.secret.map { hex($0) } ?? "-")
    }
}

/// Of 300 keys, each typed right before a question ends, at a terminal whose other end is here.
func lastKeysShown() -> Int {
    var other: Int32 = -1, terminal: Int32 = -1
    guard openpty(&other, &terminal, nil, nil, nil) == 0, fcntl(other, F_SETFL, O_NONBLOCK) == 0 else { return -1 }
    var shown = 0
    for _ in 0..<300 {
        guard cprocess_terminal_arm(terminal, "\n") == 0, write(other, "x", 1) == 1 else { return -1 }
        cprocess_terminal_disarm()
        // Time for what must not come.
        usleep(1000)
        var byte: UInt8 = 0
        while read(other, &byte, 1) == 1 { shown += 1 }
    }
    return shown
}

func run() throws(LoginFault) {
    if arguments.has("--passphrase") {
        let answer = try prompt.askPassphrase("Passphrase: ", confirm: arguments.has("--confirm"))
        print("passphrase", answer.map { hex($0) } ?? "-")
    } else if arguments.has("--held") {
        // As a command does: work with the passphrase, with a notice in between and none at the end.
        let prompt = TerminalPrompt(holdsToEnd: true)
        let answer = try prompt.askPassphrase("Passphrase: ", confirm: false)
        _ = TerminalNotice.show("Opening the encrypted file…")
        awaitFile("opened")
        TerminalNotice.hide()
        awaitFile("over")
        print("passphrase", answer.map { hex($0) } ?? "-")
    } else if let seconds = arguments.value("--retry") {
        let fault = BusyFault(status: 503, retryAfter: Int(seconds), words: nil)
        let answer = try prompt.ask(.retry(RetryRequest(.busy(fault))))
        if answer == .cancelled { throw .cancelled }
        tell(answer)
    } else if let word = arguments.value("--typing") {
        print("confirmed", try prompt.confirm("Go on?", typing: word))
    } else if arguments.has("--pasted") {
        print("pasted", hex(try prompt.askPasted("Paste it.")))
    } else if let label = arguments.value("--deciding") {
        print("decided", try prompt.decide("Go on?", label: label, details: arguments.value("--details")))
    } else if let notice = arguments.value("--waiting") {
        prompt.showWaiting(notice)
        awaitFile("over")
        prompt.showWaiting(nil)
    } else if arguments.has("--judged") {
        // As a login does: what was typed is judged while the notice stands there.
        let answer = try prompt.ask(.credential(challenge()))
        prompt.showWaiting("Authenticating, please wait…")
        awaitFile("over")
        prompt.showWaiting(nil)
        tell(answer)
    } else if arguments.has("--last-keys") {
        print("shown", lastKeysShown())
    } else if arguments.has("--forget") {
        // The answer is dropped; what is left of it in memory is the test's business.
        _ = try prompt.ask(.credential(challenge()))
    } else {
        for _ in 0..<(arguments.value("--times").flatMap { Int($0) } ?? 1) {
            let answer = try prompt.ask(.credential(challenge()))
            prompt.showWaiting(nil)
            tell(answer)
        }
    }
}

/// Crashes in the midst of a prompt, on the thread that asks: SIGURG is what the test sends, since the prompt leaves it
/// alone.
func crash() {
    switch Arguments().value("--crash") {
    case "trap": preconditionFailure("as asked")
    case "segv": UnsafeMutablePointer<Int>(bitPattern: 8)?.pointee = 1
    case "abort": abort()
    default: print(depth(from: getpid()))
    }
}

/// Never ends, which the compiler must not see.
func depth(from level: Int32) -> Int32 { getppid() < 0 ? level : depth(from: level &+ 1) &+ getppid() }

guard cprocess_harden() == .hardened else { exit(1) }
if arguments.value("--crash") != nil { signal(SIGURG) { _ in crash() } }
do {
    if arguments.has("--late") { awaitFile("begin") }
    try run()
    if arguments.has("--stay") {
        print("staying")
        fflush(nil)
        pause()
    }
    exit(0)
} catch {
    print("error \(error)")
    exit(error.exitCode.rawValue)
}
