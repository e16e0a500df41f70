import Foundation
@testable import LoginTestSupport
import Testing

/// Remembers what secrets a test of the binary gave it, and everything that can be read afterwards: the sweep L0 at the
/// end of every test finds them only where they belong.
final class Witness {
    /// Shorter ones are words of ours.
    private static let shortest = 8
    /// The digits of a second factor.
    private static let shortestCode = 6

    private var secrets: Set<String> = []
    /// What commands printed, by what they were.
    private var texts: [(place: String, bytes: Data)] = []
    /// Files in which the test itself put a secret.
    private var belonging: Set<String> = []

    /// Notes what a run is given.
    func gives(_ arguments: [String], input: String, environment: [String: String]) {
        if arguments.contains("--password-stdin") { note(input) }
        if let password = environment["AUTHCTL_PASSWORD"] { note(password) }
        if arguments.contains("--otp-stdin") { note(input, atLeast: Self.shortestCode) }
        if let code = environment["AUTHCTL_OTP"] { note(code, atLeast: Self.shortestCode) }
        let options = zip(arguments, arguments.dropFirst()).filter { $0.0 == "--password-file" }.map(\.1)
        let variables = ["AUTHCTL_PASSWORD_FILE", "AUTHCTL_STORE_PASSPHRASE_FILE"].compactMap { environment[$0] }
        for file in options + variables {
            belonging.insert(file)
            if let text = try? String(contentsOfFile: file, encoding: .utf8) { note(text) }
        }
    }

    /// Notes what a person typed at a question for a secret, unless it was edited.
    func types(_ keys: String, at question: String) {
        let isCode = question.hasPrefix("Code")
        guard isCode || ["Password", "Passphrase", "passphrase", "Token"].contains(where: { question.contains($0) })
        else { return }
        let typed = keys.filter { $0 != "\r" }
        if !typed.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F }) {
            note(typed, atLeast: isCode ? Self.shortestCode : Self.shortest)
        }
    }

    /// The commands whose result is a secret, which belongs there.
    private static let telling: Set<String> = ["token", "git-credential", "docker-credential"]

    /// Notes what a run printed.
    func sees(_ result: CommandResult, of arguments: [String]) {
        let command = arguments.prefix(2).joined(separator: " ")
        texts.append(("the talk of '\(command)'", Data(result.errorBytes)))
        if !Self.telling.contains(arguments.first ?? "") {
            texts.append(("the output of '\(command)'", Data(result.outputBytes)))
        }
    }

    func sees(_ bytes: [UInt8], at place: String) { texts.append((place, Data(bytes))) }

    /// A file that the test made by itself.
    func makes(_ file: String) { belonging.insert(file) }

    private func note(_ text: String, atLeast count: Int = shortest) {
        let secret = text.split(omittingEmptySubsequences: false) { $0.isNewline }.first.map(String.init) ?? ""
        if secret.utf8.count >= count { secrets.insert(secret) }
    }

    /// Fails the test for every secret out of its place.
    /// - Parameter kept: what the plain store holds.
    func sweep(_ folder: String, store: String, kept: [Data]) {
        do {
            let sweep = try LeakSweep(secrets: secrets.union(kept.flatMap(Self.proofs)).sorted())
            let found = texts.flatMap { sweep.hits(in: $0.bytes, place: $0.place) }
            let files = try sweep.hits(inTree: URL(fileURLWithPath: folder)).filter { hit in
                hit.place != store && !belonging.contains(hit.place)
            }
            for hit in found + files { Issue.record("L0: a secret leaked: \(hit)") }
        } catch {
            Issue.record(error, "L0: the sweep after the test")
        }
    }

    /// The tokens and cookies in a stored login: all its longer texts but names.
    static func proofs(_ login: Data) -> [String] {
        func texts(_ value: Any, _ name: String) -> [String] {
            switch value {
            case let object as [String: Any]: object.flatMap { texts($0.value, $0.key) }
            case let list as [Any]: list.flatMap { texts($0, name) }
            case let text as String where ["value", "refreshToken", "secret"].contains(name):
                Data(base64Encoded: text).flatMap { String(bytes: $0, encoding: .utf8) }.map { [$0] } ?? []
            default: []
            }
        }
        let value = try? JSONSerialization.jsonObject(with: login)
        // WordPress has a cookie with the time of day, which is no secret.
        return texts(value ?? [], "").filter { $0.utf8.count >= shortest && Int64($0) == nil }
    }
}
