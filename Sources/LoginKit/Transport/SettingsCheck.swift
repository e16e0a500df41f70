import CCurl
import Glibc
import LoginCore

/// Checks the settings before anything is connected.
struct SettingsCheck {
    let caFile: String?
    let proxy: ProxyChoice
    let library: CurlLibrary

    func run() throws(UsageFault) {
        if let caFile { try check(caFile: caFile) }
        if let url = proxy.url, let problem = problem(with: url) {
            throw .badValue(option: proxy.source.name, problem: problem)
        }
    }

    /// Requires a regular file, since libcurl would block on a FIFO.
    private func check(caFile: String) throws(UsageFault) {
        let descriptor = open(caFile, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
        guard descriptor >= 0 else {
            let problem = "\(SafeText.quoted(caFile)) cannot be read: \(String(cString: strerror(errno)))"
            throw .badValue(option: "ca-file", problem: problem)
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .badValue(option: "ca-file", problem: "\(SafeText.quoted(caFile)) is not a regular file")
        }
    }

    private static let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]

    /// As CURLOPT_PROXY(3) takes it, which calls what it cannot parse a name that does not resolve: without a scheme it is http.
    /// - Returns: never the text, which may hold a password.
    private func problem(with url: String) -> String? {
        guard let parsed = CurlURL(library) else { return "out of memory" }
        if let mark = url.firstRange(of: "://"), !Self.schemes.contains(url[..<mark.lowerBound].lowercased()) {
            return "its scheme is not one of \(Self.schemes.joined(separator: ", "))"
        }
        if let problem = parsed.set(CURLUPART_URL, url, flags: CURLU_NON_SUPPORT_SCHEME | CURLU_GUESS_SCHEME) {
            let advice = "; in its user name and password, write @ as %40, / as %2F and # as %23"
            return problem.lowercased() + (url.contains("@") ? advice : "")
        }
        return (parsed.text(CURLUPART_HOST) ?? "").utf8.count > 255 ? "its host is too long" : nil
    }
}
