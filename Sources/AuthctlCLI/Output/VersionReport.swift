import CLibrary
import Glibc
import LoginKit

/// `authctl --version --verbose`, for reports: the version, and the libraries that this run would use.
enum VersionReport {
    /// Each by its sonames, of which Debian's releases have one or the other.
    private static let libraries = [
        ["libcurl.so.4"], ["libssl.so.3"], ["libcrypto.so.3"], ["libsodium.so.23", "libsodium.so.26"],
        ["libreadline.so.8"], ["libxml2.so.2", "libxml2.so.16"], ["libz.so.1"], ["libmicrohttpd.so.12"],
        ["libsecret-1.so.0"],
        ["libkeyutils.so.1"], ["libgssapi_krb5.so.2"], ["libqrencode.so.4"], ["libgnutls.so.30"], ["libc.so.6"],
    ]

    static func isAskedFor(by arguments: [String]) -> Bool {
        arguments.count == 2 && arguments.contains("--version")
            && (arguments.contains("--verbose") || arguments.contains("-v"))
    }

    /// Lines of a soname and a file, whose name has the version in most cases.
    static var text: String {
        let lines = libraries.map { names in
            let found = names.lazy.compactMap { name in path(of: name).map { "\(name) \(SafeText.escaped($0))" } }
            return found.first ?? "\(names[0]) (not installed)"
        }
        return (["authctl \(Version.number)"] + lines).joined(separator: "\n")
    }

    private static func path(of name: String) -> String? {
        guard let path = clibrary_path(name) else { return nil }
        defer { free(path) }
        return String(cString: path)
    }
}
