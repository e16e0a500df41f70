import CProcess
import Foundation

/// How a process ended.
enum Ending: Equatable, Sendable, CustomStringConvertible {
    case exited(Int32)
    case signalled(Int32)

    var description: String {
        switch self {
        case .exited(let code): "exit \(code)"
        case .signalled(let number): "signal \(number)"
        }
    }

    init(waitStatus status: Int32) {
        let number = status & 0x7F
        self = number == 0 ? .exited((status >> 8) & 0xFF) : .signalled(number)
    }
}

/// Something did not happen in time.
struct DeadlineExceeded: Error, CustomStringConvertible {
    let waitingFor: String
    /// What was seen instead.
    let seen: String

    init(waitingFor: String, seen: String) {
        self.waitingFor = waitingFor
        self.seen = seen
    }

    var description: String { "waited in vain for \(waitingFor); seen: \(seen.debugDescription)" }
}

/// What to run, and in which surroundings; nothing is inherited that is not named.
struct ChildSpec: Sendable {
    var path: String
    var arguments: [String]
    var environment: [String: String]
    var directory: String?
    /// Descriptors for the child's 0, 1 and 2; -1 for the terminal or /dev/null.
    var descriptors: [Int32] = [-1, -1, -1]
    var ignoredSignals: [Int32] = []

    init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], directory: String? = nil
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.directory = directory
    }

    /// Lends the C form of it for the time of `body`.
    func withC<Result>(_ body: (UnsafePointer<cprocess_child>) -> Result) -> Result {
        let arguments = CStrings([path] + self.arguments)
        let environment = CStrings(self.environment.map { "\($0.key)=\($0.value)" })
        let directory = self.directory.map { strdup($0) } ?? nil
        let path = strdup(self.path)
        defer {
            free(directory)
            free(path)
        }
        var child = cprocess_child()
        child.path = UnsafePointer(path)
        child.arguments = UnsafePointer(arguments.pointers)
        child.environment = UnsafePointer(environment.pointers)
        child.directory = UnsafePointer(directory)
        child.descriptors = (descriptors[0], descriptors[1], descriptors[2])
        child.ignored_signals = ignoredSignals.reduce(0) { $0 | UInt(1) << UInt($1) }
        return withExtendedLifetime((arguments, environment)) { body(&child) }
    }
}

/// A NULL-terminated array of C strings.
private final class CStrings {
    let pointers: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
    private let count: Int

    init(_ texts: [String]) {
        count = texts.count
        pointers = .allocate(capacity: count + 1)
        for (index, text) in texts.enumerated() { pointers[index] = strdup(text) }
        pointers[count] = nil
    }

    deinit {
        for index in 0..<count { free(pointers[index]) }
        pointers.deallocate()
    }
}

/// A child process. Waiting has a deadline; `deinit` kills a child that nobody waited for.
final class Child {
    let pid: Int32
    private(set) var ending: Ending?

    init(pid: Int32) {
        self.pid = pid
    }

    deinit {
        guard !hasEnded() else { return }
        kill(pid, SIGKILL)
        waitpid(pid, nil, 0)
    }

    func hasEnded() -> Bool {
        if ending != nil { return true }
        var status: Int32 = 0
        guard waitpid(pid, &status, WNOHANG) == pid else { return false }
        ending = Ending(waitStatus: status)
        return true
    }

    func send(signal number: Int32) {
        guard ending == nil else { return }
        kill(pid, number)
    }

    /// Waits until it lies still after SIGSTOP: a SIGCONT takes back a stop that has not come about (signal(7)).
    func isStopped() -> Bool {
        eventually {
            let line = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
            // The name before it may have anything in it.
            return line?.split(separator: ")").last?.hasPrefix(" T ") == true
        }
    }
}
