import Glibc
import Secrets

/// A private window of a browser that was started for one login, over the Chrome DevTools Protocol.
final class BrowserWindow {
    private let program: ChromiumProgram
    private let channel: DevToolsChannel
    private let child: ChildProgram
    private let folder: String
    /// The command that is waited for, and its answer.
    private var awaited: (id: Int64, answer: JSONValue??)?
    /// The pages that are open, in the order in which they came, with the session to each once there is one.
    private var open: [(id: String, url: String, session: String?)] = []
    private var changed: [String] = []
    private var hadPage = false
    private var emptySince: ContinuousClock.Instant?
    /// Taken from the requests of pages.
    var header: TakenHeader?
    private(set) var headerValue: Secret?
    /// The browser's own name of itself, for sites that bind a session to it.
    private(set) var userAgent: String?

    private static let socketName = "/org.chromium.Chromium.scoped_dir.XXXXXX/SingletonSocket"
    private static let patience = Duration.seconds(10)
    /// A page may be replaced by another one.
    private static let pause = Duration.seconds(1)

    /// Starts the browser.
    /// - Parameter folder: for all that it writes; the caller removes it.
    init(_ program: ChromiumProgram, environment: ProgramEnvironment, folder: String, url: String) throws(WindowFault) {
        (self.program, self.folder) = (program, folder)
        guard let (channel, reads, writes) = DevToolsChannel.make() else {
            throw .notStarted(program: program.name, errno: errno)
        }
        defer {
            Glibc.close(reads)
            Glibc.close(writes)
        }
        self.channel = channel
        var handed = environment
        handed.removeAll(beginningWith: "AUTHCTL_")
        // Else it leaves a folder of its own there. Its socket needs a path of 107 bytes at most (unix(7)).
        if folder.utf8.count + Self.socketName.utf8.count < 108 { handed.set("TMPDIR", to: folder) }
        // Where Chromium's crash reports go; by default they outlive it.
        handed.set("BREAKPAD_DUMP_LOCATION", to: folder)
        let log = BrowserLog(path: folder + "/log").opened()
        defer { if log >= 0 { Glibc.close(log) } }
        do {
            child = try ChildProgram(
                detached: program.path, words: program.arguments(folder: folder + "/data", url: url),
                environment: handed, descriptors: (-1, -1, log), channel: (reads, writes))
        } catch {
            throw .notStarted(program: program.name, errno: error.errno)
        }
    }

    /// Makes sure that it is a browser of the Chromium family, and has it tell of its pages.
    /// - Parameter isOver: whether nobody waits any more.
    func greet(unless isOver: () -> Bool) throws(WindowFault) {
        let version = try call(.version, unless: isOver)
        guard case .object(let members)? = version, case .string? = members["product"] else {
            throw .noAnswer(program: program.name)
        }
        if case .string(let name)? = members["userAgent"] { userAgent = name }
        _ = try call(.discover, unless: isOver)
    }

    /// Readable when the browser has said something.
    var descriptor: Int32 { channel.descriptor }

    /// The URLs of the pages that are open.
    var pages: [String] { open.map(\.url) }

    /// Takes what has come, without waiting.
    /// - Returns: the URLs of the pages that have changed since the last time.
    /// - Throws: `closed` once the last page was closed.
    func takeChanges() throws(WindowFault) -> [String] {
        do {
            for message in try channel.received() { try note(message) }
        } catch {
            throw fault(error)
        }
        if hadPage, open.isEmpty, let emptySince, emptySince + Self.pause < .now { throw .closed }
        defer { changed = [] }
        return changed
    }

    private func note(_ message: DevToolsMessage) throws(DevToolsChannel.Fault) {
        switch message {
        case .answer(let id, let result): if awaited?.id == id { awaited?.answer = .some(result) }
        case .page(let id, let url):
            (hadPage, emptySince) = (true, nil)
            if let place = open.firstIndex(where: { $0.id == id }) {
                open[place].url = url
            } else if open.count < Self.mostPages {
                open.append((id, url, nil))
                _ = try channel.send(.attach(page: id))
            }
            if !changed.contains(url), changed.count < Self.mostPages { changed.append(url) }
        case .attached(let session, let id):
            if let place = open.firstIndex(where: { $0.id == id }) { open[place].session = session }
            if let header { _ = try channel.send(.pause(header.origin), to: session) }
        case .paused(let session, let id, let url, let headers):
            if open.contains(where: { $0.session == session && isOwn($0.url) }) { take(headers, of: url) }
            _ = try channel.send(.proceed(request: id), to: session)
        case .closed(let id):
            open.removeAll { $0.id == id }
            if open.isEmpty { emptySince = .now }
        case .other: break
        }
    }

    private func isOwn(_ url: String) -> Bool { header.map { url.hasPrefix("\($0.origin)/") } ?? false }

    private func take(_ headers: [String: JSONValue], of url: String) {
        guard let header, isOwn(url) else { return }
        // A page of another site may send a header of its choice there.
        let sender = headers.first { $0.key.lowercased() == "origin" }?.value
        guard sender == nil || sender == .string(header.origin.description) else { return }
        let found = headers.first { $0.key.lowercased() == header.name.lowercased() }
        if case .string(let value)? = found?.value, !value.isEmpty { headerValue = Secret(value) }
    }

    private static let mostPages = 100

    /// The cookies that would be sent to a URL, as the browser has them.
    /// - Returns: nothing while there is no page with a session to be asked.
    func cookies(for url: String, unless isOver: () -> Bool) throws(WindowFault) -> JSONValue? {
        guard let session = open.lazy.compactMap(\.session).first else { return nil }
        return try call(.cookies(url: url), to: session, unless: isOver)
    }

    private func call(
        _ command: DevToolsCommand, to session: String? = nil, unless isOver: () -> Bool
    ) throws(WindowFault) -> JSONValue? {
        do throws(DevToolsChannel.Fault) {
            let id = try channel.send(command, to: session), end = ContinuousClock.now + Self.patience
            awaited = (id, nil)
            defer { awaited = nil }
            while !isOver() {
                for message in try channel.received() { try note(message) }
                if let answer = awaited?.answer { return answer }
                // The page was closed meanwhile, and will not answer.
                if let session, !open.contains(where: { $0.session == session }) { return nil }
                guard .now < end else { throw .broken }
                waitForInput([channel.descriptor], milliseconds: 100)
            }
            return nil
        } catch {
            if case .version = command, error == .broken { throw .noAnswer(program: program.name) }
            throw fault(error)
        }
    }

    private func fault(_ fault: DevToolsChannel.Fault) -> WindowFault {
        switch fault {
        case .broken: .brokenChannel(program: program.name)
        // The last page that is closed ends the browser, too.
        case .ended where hadPage && open.isEmpty: .closed
        case .ended:
            .ended(
                program: program.name, status: child.status(by: .now + .seconds(1), unless: { false }),
                words: BrowserLog(path: folder + "/log").telling
            )
        }
    }

    /// Closes the window, and ends the browser with all its processes.
    func close() {
        _ = try? channel.send(.close)
        _ = child.end(by: .now + .milliseconds(500))
        // Others of its group may outlive it, and write to its folder.
        kill(-child.process, SIGKILL)
    }
}

/// The log of a browser's standard error.
struct BrowserLog {
    let path: String

    /// - Returns: a descriptor to write to, or -1.
    func opened() -> Int32 { open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

    /// The line that tells why the browser ended, if one does; else the last one.
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
