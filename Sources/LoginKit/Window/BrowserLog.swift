import Glibc

/// What a browser writes on its standard error.
struct BrowserLog {
    let path: String

    /// - Returns: a descriptor to write to, or -1.
    func opened() -> Int32 { open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

    /// The line that tells why the browser ended, as far as one does; else the last one.
    var telling: String? {
        let log = open(path, O_RDONLY | O_CLOEXEC)
        guard log >= 0 else { return nil }
        defer { close(log) }
        let size = lseek(log, 0, SEEK_END)
        var bytes = [UInt8](repeating: 0, count: 16_000)
        let got = pread(log, &bytes, bytes.count, max(0, size - off_t(bytes.count)))
        guard got > 0 else { return nil }
        // What it says of the system's bus is about no window.
        let lines = String(decoding: bytes[..<got], as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { !$0.contains(":dbus/") && !$0.contains("crashpad") }
        let signs = [":FATAL:", "--no-sandbox", "failed to initialize"]
        return lines.last { line in signs.contains { line.contains($0) } } ?? lines.last
    }
}
