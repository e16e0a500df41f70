import Foundation
@testable import LoginTestSupport

/// Where an example runs: a home with the profiles that it names, logged in at the demo server unless the example does that.
/// `Tests/Stands/examples/run` puts there the files that it reads and the programs that it starts.
struct ExamplePlace {
    /// What a person types at a question; the first that fits.
    private static var answers: [(question: Regex<Substring>, keys: String)] {
        [
            (/User name: $/, "ann\r"), (/User name \[ann\]: $/, "\r"), (/Password: $/, "correct horse\r"),
            (/Password for bob: $/, "pä:ss%wörd&+\"\\ünïcode\r"), (/Password for ann: $/, "correct horse\r"),
            (/Number: $/, "1\r"),
            (/Token: $/, "demo-pat-ann-7f3a9c\r"),
            (/(?:assphrase[^\n]*: |Encryption Password:)$/, "passphrase of the store\r"),
            (/\[yes\/no\/details\] $|yes\/no: $/, "yes\r"), (/Trust it\?[^\n]*: $/, "always\r"),
            (/Ctrl-C[ \r\n]+ends/, "\u{3}"),
        ]
    }

    private let authctl: Installation
    private let logins: [String]
    private let surroundings: String

    init(_ sites: ExampleSites, _ example: Example) throws {
        authctl = try Installation()
        surroundings = "https_proxy=\(sites.proxy) CURL_CA_BUNDLE=\(sites.certificate)"
        let commands = example.commands.map { ExampleWords.here($0, port: sites.demo.port) }
        for (index, command) in commands.enumerated() { try authctl.home.write(command, to: "commands/\(index)") }
        try authctl.home.write(Recipe.texts(of: "Python")[0], to: "files/report.py")
        for name in ["wiki", "forge"] {
            try authctl.home.write("[profiles.\(name)]\n" + sites.profile(name), to: "files/\(name).toml")
        }
        let text = commands.joined()
        let words = Set(text.split { !$0.isLetter && !"./-".contains($0) }.map(String.init))
        // Whoever logs in by a URL makes a profile; whoever names none has this one.
        let makesOne = text.contains(/(login|discover)[^|\n]* http|AUTHCTL_VERIFY_URL/)
        let named = ExampleWords.profiles.keys.filter { words.contains($0) || !makesOne && text.contains("//\($0).") }
        let profiles = named.isEmpty && !makesOne ? ["blog"] : named.filter { !text.contains("--name \($0)") }.sorted()
        for name in profiles {
            try authctl.home.write(sites.profile(name), to: "config/authctl/profiles/\(name).toml")
        }
        let begins = text.contains(
            /^authctl login|[^:]\ authctl login|\nauthctl login|ephemeral|AUTHCTL_STORE=none|profile remove/)
        let logsIn = begins && !text.contains(/--force|authctl switch|authctl logout/)
        let users = words.contains("bob") ? ["bob", "ann"] : ["ann"]
        logins = logsIn ? [] : profiles.flatMap { name in users.map { "\(name)/\($0)" } }
    }

    /// The exit code of each command that ended, and what the terminal showed.
    func run(within seconds: Double = Pty.patience) throws -> (codes: [String], screen: String) {
        let script = Repository.path + "/Tests/Stands/examples/run"
        let pty = try authctl.shellOnTerminal("export \(surroundings); . '\(script)' \(logins.joined(separator: " "))")
        let deadline = Date(timeIntervalSinceNow: seconds)
        var read = 0
        while !pty.child.hasEnded(), deadline.timeIntervalSinceNow > 0 {
            pty.watch(milliseconds: 5)
            let seen = String(decoding: pty.transcript[read...], as: UTF8.self)
            guard let answer = Self.answers.first(where: { seen.contains($0.question) }) else { continue }
            read = pty.transcript.count
            pty.type(answer.keys)
        }
        pty.watch(milliseconds: 0)
        let codes = authctl.hasFile("codes") ? try authctl.home.read("codes") : ""
        return (codes.split(separator: "\n").map(String.init), pty.text)
    }
}

/// The services of the examples, under the names that they have there: the demo server behind TLS and a proxy.
final class ExampleSites {
    let demo: DemoBackendProcess
    let certificate: String
    let proxy: String
    private let front: TLSFront
    private let connect: ConnectProxy

    init(_ examples: [Example]) throws {
        demo = try DemoBackendProcess()
        let hosts = examples.flatMap { $0.commands.joined().matches(of: /[a-z.]+\.example\b/).map { String($0.0) } }
        let named = Set(hosts + ExampleWords.profiles.keys.map { "\($0).example" })
        front = try TLSFront(to: demo.port, names: named.sorted())
        connect = try ConnectProxy(to: front.port)
        (certificate, proxy) = (front.certificate, connect.url)
    }

    /// As authctl saves a profile.
    func profile(_ name: String) throws -> String {
        let like = "profiles.\(ExampleWords.profiles[name] ?? name)"
        let vault = demo.vaultProfile(login: DemoBackendProcess.vaultWantsCode)
        let tables = try (demo.profiles() + demo.oauthProfiles() + "\n" + vault).components(separatedBy: "\n[")
        let main = tables.filter { $0.hasPrefix(like + "]") }.map { $0.drop { $0 != "\n" } }
        let others = tables.filter { $0.hasPrefix(like + ".") }.map { "[" + $0.dropFirst(like.count + 1) }
        let isLocal = ExampleWords.local.contains(name)
        return (["ca-file = \"\(certificate)\""] + main.map(String.init) + others).joined(separator: "\n").replacing(
            /(url +=\ ")http:\/\/127.0.0.1:\d+/
        ) {
            $0.1 + (isLocal ? "http://\(name).localhost:\(demo.port)" : "https://\(name).example")
        }
    }
}
