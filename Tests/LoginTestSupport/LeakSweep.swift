import Foundation
import Testing

/// Looks for secrets where they do not belong: in output, in files, in the argv and environment of a process, plain and
/// in every form that a program could turn them into.
struct LeakSweep: Sendable {
    /// A secret that was found.
    struct Hit: Sendable, Equatable, CustomStringConvertible {
        /// Where: the name that was given, or a path.
        let place: String
        /// How it was written, as in `base64`.
        let form: String
        /// Which of the secrets; the text itself is not repeated.
        let secret: String

        var description: String { "\(secret) in \(place), as \(form)" }
    }

    private struct Needle: Sendable {
        let secret: String
        let form: String
        let bytes: Data
    }

    private let needles: [Needle]

    /// How many different texts and bytes are looked for.
    var forms: Int { Set(needles.map(\.bytes)).count }

    /// - Parameters:
    ///   - secrets: passwords, tokens, cookies. An empty one cannot be found; very short ones are found everywhere.
    ///   - pairs: user names and passwords; the passwords count as secrets, and `user:password` too.
    ///   - keys: bytes that are no text.
    /// - Throws: where the programs for the digests cannot be run.
    init(secrets: [String], pairs: [(user: String, password: String)] = [], keys: [[UInt8]] = []) throws {
        var found: [Needle] = []
        let named =
            secrets.enumerated().map { ("secret \($0 + 1)", $1) }
            + pairs.map { ("the password of \($0.user)", $0.password) }
            + pairs.map { ("user:password of \($0.user)", "\($0.user):\($0.password)") }
        for (name, secret) in named where !secret.isEmpty {
            found += try SecretForms(secret).all().map { Needle(secret: name, form: $0.name, bytes: Data($0.bytes)) }
        }
        for (number, key) in keys.enumerated() {
            found += SecretForms(key).ofBytes.map {
                Needle(secret: "key \(number + 1)", form: $0.name, bytes: Data($0.bytes))
            }
        }
        needles = found
    }

    /// What is found in bytes: output, a transcript, a strace.
    func hits(in data: Data, place: String) -> [Hit] {
        var hits: [Hit] = []
        for needle in needles where Self.contains(data, needle.bytes) {
            let hit = Hit(place: place, form: needle.form, secret: needle.secret)
            if !hits.contains(hit) { hits.append(hit) }
        }
        return hits
    }

    private static func contains(_ data: Data, _ needle: Data) -> Bool {
        data.withUnsafeBytes { bytes in
            needle.withUnsafeBytes { find(bytes.baseAddress, bytes.count, $0.baseAddress, $0.count) != nil }
        }
    }

    /// What is found in text.
    func hits(in text: String, place: String) -> [Hit] {
        hits(in: Data(text.utf8), place: place)
    }

    /// What is found in the names and the contents of all files under a folder, hidden ones and the targets of links
    /// included; or of one file.
    /// - Throws: where something cannot be read, since what was not read is not clean.
    func hits(inTree root: URL) throws -> [Hit] {
        let name = root.lastPathComponent
        let kind = try FileManager.default.attributesOfItem(atPath: root.path)[.type] as? FileAttributeType
        var found = hits(in: name, place: "the name of \(root.path)")
        if kind == .typeDirectory {
            for child in try FileManager.default.contentsOfDirectory(atPath: root.path).sorted() {
                found += try hits(inTree: root.appendingPathComponent(child))
            }
        } else if kind == .typeSymbolicLink {
            let target = try FileManager.default.destinationOfSymbolicLink(atPath: root.path)
            found += hits(in: target, place: "the target of \(root.path)")
        } else if kind == .typeRegular {
            found += hits(in: try Data(contentsOf: root), place: root.path)
        }
        return found
    }

    /// What is found in the arguments and the environment of a running process (proc(5)).
    func hits(ofProcess identifier: Int32) throws -> [Hit] {
        try ["cmdline", "environ"].flatMap { name in
            let file = "/proc/\(identifier)/\(name)"
            return hits(in: try Data(contentsOf: URL(fileURLWithPath: file)), place: file)
        }
    }

    /// Fails the test for each secret that is found: in texts, by name, and in the trees under folders.
    /// - Parameter belonging: paths where secrets belong, with all that is below them.
    func expectClean(
        _ texts: [String: String] = [:], trees: [URL] = [], belonging: [URL] = [],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var found = texts.sorted { $0.key < $1.key }.flatMap { hits(in: $0.value, place: $0.key) }
        for tree in trees { found += try hits(inTree: tree) }
        let belongs = { (hit: Hit) in
            belonging.contains { hit.place == $0.path || hit.place.hasPrefix($0.path + "/") }
        }
        for hit in found where !belongs(hit) {
            Issue.record("a secret leaked: \(hit)", sourceLocation: sourceLocation)
        }
    }
}

/// memmem(3), which is no POSIX and so is not shown to Swift; many times as fast as `Data.range(of:)`, and whole memories are
/// looked through.
@_silgen_name("memmem")
private func find(
    _ bytes: UnsafeRawPointer?, _ count: Int, _ needle: UnsafeRawPointer?, _ needleCount: Int
) -> UnsafeRawPointer?
