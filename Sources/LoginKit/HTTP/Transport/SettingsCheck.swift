import Glibc
import LoginCore

/// Checks the settings before anything is connected.
struct SettingsCheck {
    let caFile: String?
    let proxy: ProxyChoice

    func run() throws(UsageFault) {
        if let caFile { try check(caFile: caFile) }
        if let url = proxy.url, let problem = Self.problem(with: url) {
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

    /// As CURLOPT_PROXY(3) takes it: without a scheme it is http.
    /// - Returns: never the text, which may hold a password.
    private static func problem(with url: String) -> String? {
        var rest = url[...]
        if let mark = url.firstRange(of: "://") {
            guard schemes.contains(url[..<mark.lowerBound].lowercased()) else {
                return "its scheme is not one of \(schemes.joined(separator: ", "))"
            }
            rest = url[mark.upperBound...]
        }
        rest = rest.prefix { $0 != "/" }
        if let at = rest.lastIndex(of: "@") { rest = rest[rest.index(after: at)...] }
        guard rest.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7f }) else {
            return "its host contains a blank or a control character"
        }
        let end = rest.lastIndex(of: "]") ?? rest.startIndex
        let colon = rest[end...].firstIndex(of: ":") ?? rest.endIndex
        guard (1...255).contains(rest[..<colon].utf8.count) else { return "its host is invalid" }
        let port = rest[colon...].dropFirst()
        return port.isEmpty || UInt16(port).map { $0 > 0 } == true ? nil : "its port is invalid"
    }
}
