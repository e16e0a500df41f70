import Glibc

/// The environment of a program that authctl starts: environ(7), without what is meant for authctl alone.
package struct ProgramEnvironment: Sendable {
    /// The variables that give a login its user name and secrets; no program that authctl starts sees them.
    package static let withheld = [
        "AUTHCTL_USERNAME", "AUTHCTL_PASSWORD", "AUTHCTL_PASSWORD_FILE", "AUTHCTL_OTP", "AUTHCTL_STORE_PASSPHRASE_FILE",
    ]

    /// As they are, since a value need not be UTF-8: `NAME=value`, each with its NUL.
    private(set) var entries: [[CChar]]

    /// These variables by name, without those of `withheld`.
    init(_ values: [String: String]) {
        entries = values.filter { !Self.withheld.contains($0.key) }.map { Array("\($0.key)=\($0.value)".utf8CString) }
    }

    private init(entries: [[CChar]]) {
        self.entries = entries
    }

    /// The environment of this process.
    package static func inherited() -> ProgramEnvironment {
        var entries: [[CChar]] = []
        var next = environ
        while let entry = next.pointee {
            // Looked at where it lies: what is withheld may be a secret, and is not copied.
            let isWithheld = withheld.contains { strncmp(entry, "\($0)=", $0.utf8.count + 1) == 0 }
            if !isWithheld, !isURLOfSomebody(entry) {
                entries.append(Array(UnsafeBufferPointer(start: entry, count: strlen(entry) + 1)))
            }
            next += 1
        }
        return ProgramEnvironment(entries: entries)
    }

    /// Whether it is a URL for authctl with a user name and perhaps a password in it.
    private static func isURLOfSomebody(_ entry: UnsafePointer<CChar>) -> Bool {
        let name = "AUTHCTL_VERIFY_URL="
        return strncmp(entry, name, name.utf8.count) == 0 && strchr(entry, Int32(UInt8(ascii: "@"))) != nil
    }

    /// - Returns: the value with U+FFFD for what is not UTF-8, or nothing if there is no such variable.
    package subscript(name: String) -> String? {
        let start = Array("\(name)=".utf8CString.dropLast())
        guard let entry = entries.first(where: { $0.starts(with: start) }) else { return nil }
        return String(decoding: entry.dropFirst(start.count).dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Sets a variable, also one that is otherwise withheld.
    /// - Parameter value: without a NUL in it, which would end it.
    package mutating func set(_ name: String, to value: UnsafeRawBufferPointer) {
        let start = Array("\(name)=".utf8CString.dropLast())
        entries.removeAll { $0.starts(with: start) }
        entries.append(start + value.map { CChar(bitPattern: $0) } + [0])
    }

    /// Sets a variable to a text in UTF-8.
    package mutating func set(_ name: String, to value: String) {
        var value = value
        value.withUTF8 { set(name, to: UnsafeRawBufferPointer($0)) }
    }

    /// Takes away all whose names begin like this.
    package mutating func removeAll(beginningWith start: String) {
        let start = Array(start.utf8CString.dropLast())
        entries.removeAll { $0.starts(with: start) }
    }
}

/// Lends a NULL-terminated array of texts that end with NUL, as execve(2) takes arguments and environment.
func withCStrings<Result>(
    _ texts: [[CChar]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
        // Never empty: the last one is NULL.
        guard let start = buffer.baseAddress else { preconditionFailure("no array of texts") }
        return body(start)
    }
}

extension ProgramEnvironment {
    /// Whether a browser would have a screen.
    var hasScreen: Bool { ["DISPLAY", "WAYLAND_DISPLAY"].contains { !(self[$0] ?? "").isEmpty } }

    /// Whether the person is there by ssh, and sees another screen.
    var isRemote: Bool { !(self["SSH_CONNECTION"] ?? "").isEmpty }
}
