import ArgumentParser
import LoginKit

/// Options of curl that `request` does not have, typed out of habit, and what authctl does instead.
enum CurlHabits {
    /// The fault of a line that could not be parsed; `nil` if no such option stands on it.
    /// - Parameter arguments: without the program's own name.
    static func fault(of arguments: [String]) -> LoginFault? {
        guard arguments.first == RequestCommand.outline.commandName else { return nil }
        for argument in arguments.prefix(while: { $0 != "--" }) {
            for name in names(in: argument) {
                if let instead = instead[name] { return .usage(.badValue(option: name, problem: instead)) }
            }
        }
        return nil
    }

    /// `-sSL` is three of them; what stands behind the `=` of a long one, or behind a short one that takes a value, is none.
    private static func names(in argument: String) -> [String] {
        if argument.hasPrefix("--") { return [String(argument.prefix { $0 != "=" })] }
        guard argument.hasPrefix("-") else { return [] }
        var names: [String] = []
        for letter in argument.dropFirst() {
            names.append("-\(letter)")
            if takingValues.contains(letter) { break }
        }
        return names
    }

    /// The short options of `request` behind which a value may stand.
    private static let takingValues = "HdoPu"

    /// By their short names and their long ones.
    private static let instead: [String: String] = [
        (["-X", "--request"], "the method stands before the URL: authctl request POST URL"),
        (["-I", "--head"], "the method stands before the URL: authctl request HEAD URL -i"),
        (["-L", "--location"], "redirects are not followed; standard error says where one leads"),
        (
            ["-k", "--insecure"],
            "certificates are always checked; use --ca-file FILE, or --trust-fingerprint for a single certificate"
        ),
        (
            ["--user"],
            "the stored login is used; log in with 'authctl login -u NAME', or choose an account with -u NAME"
        ),
        (["-b", "--cookie", "-c", "--cookie-jar"], "cookies of the session are kept and sent automatically"),
        (["-f", "--fail"], "not needed: a status of 400 or above has its own exit code"),
        (["-s", "--silent", "-S", "--show-error"], "use -q, which prints only results and errors"),
        (["-x"], "use --proxy URL"),
        (["-O", "--remote-name"], "use -o FILE"),
        (["-T", "--upload-file"], "name the method and the file: authctl request PUT URL --data-binary @FILE"),
        (["-A", "--user-agent"], "use -H 'User-Agent: TEXT'"),
        (["-m", "--max-time", "--connect-timeout"], "set 'timeout' in the profile, in seconds"),
        (
            ["-F", "--form", "-w", "--write-out", "-K", "--retry", "--compressed"],
            "curl itself can use the login: authctl exec --curl-config -- sh -c 'curl -K \"$AUTHCTL_CURL_CONFIG\" URL'"
        ),
        (
            ["-n", "--netrc"],
            "not needed: the stored login is used; to take a login from ~/.netrc once: authctl login --netrc"
        ),
    ].reduce(into: [:]) { table, entry in for name in entry.0 { table[name] = entry.1 } }
}
