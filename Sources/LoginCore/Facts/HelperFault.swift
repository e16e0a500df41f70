/// A docker credential helper that cannot keep a login.
package enum HelperFault: Error, Equatable, Sendable {
    /// The words of a helper that failed.
    package enum Words: Equatable, Sendable {
        case none
        case some(String)
        /// They may repeat what is secret.
        case withheld
    }

    /// The name cannot be one of a helper, or is that of authctl's own.
    case badName
    /// No folder of `PATH` has the program.
    case notInPath
    /// Anybody could have put their own program in its place.
    case writableByAll(path: String)
    case notStarted(path: String, errno: Int32)
    case failed(method: String, status: Int32, Words)
    /// It says that it was not given what it was given: a server URL or a user name.
    case suppliedInVain(method: String, what: String)
    /// It printed more than so many bytes.
    case tooMuch(method: String, limit: Int)
    case notUnderstood(method: String)
    /// It answered with the credentials of something else.
    case otherEntry
    /// The entry of this account does not hold what authctl has put there.
    case foreignSecret
}

extension StoreName {
    /// Whether a docker credential helper of this name may be run. The name becomes part of a program's name, so that
    /// only what is plainly a part of one is taken; authctl's own helper would ask itself.
    package static func isHelper(_ name: String) -> Bool {
        let isPlain = name.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        let first = name.utf8.first
        return isPlain && (1...64).contains(name.utf8.count) && first != UInt8(ascii: "-") && first != UInt8(ascii: ".")
            && !name.contains("..") && name != "authctl"
    }
}
