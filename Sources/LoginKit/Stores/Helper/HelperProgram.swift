import Glibc
import Secrets

/// The program behind a store, found in `PATH` and run for one request, bounded in time and in bytes.
struct HelperProgram {
    /// The exit status and the output.
    struct Response {
        /// As a shell's `$?`: 128 + N if signal N ended it.
        let status: Int32
        let output: Secret
        let errors: Secret
    }

    /// In bytes, for each of the two streams.
    private static let limit = 1024 * 1024
    /// The interval for checking a program whose pipes are held open by another one, in milliseconds.
    private static let interval: Int32 = 50
    /// The same once both are closed and only the end is waited for.
    private static let shortInterval: Int32 = 2

    let store: StoreName
    let environment: ProgramEnvironment
    /// In seconds.
    let patience: Int

    /// - Parameter input: less than 64 KiB, which is what a pipe takes at once.
    /// - Returns: its answer, whatever its status is.
    /// - Throws: `helper`, `timedOut` or `system` where there is none.
    func run(_ method: String, _ input: Secret) throws(StoreFault) -> Response {
        let path = try HelperSearch(environment: environment).path(of: store)
        let signals = HeldSignals()
        defer { signals.release() }
        let deadline = ContinuousClock.now + .seconds(patience)
        let stdout = try Pipe(path), stderr = try Pipe(path)
        let program = try start(path, method, input, stdout, stderr)
        let printed: (output: Secret, errors: Secret)
        do throws(StoreFault) {
            guard let all = try collect(stdout, stderr, of: program, until: deadline, unless: signals) else {
                throw .helper(
                    store, "'\(store.shownProgram) \(method)' printed more than \(Self.limit) bytes",
                    next: "\(.otherStores)")
            }
            printed = all
        } catch {
            _ = program.end(by: .now)
            throw error
        }
        guard let status = program.end(by: deadline) else { throw slow }
        return Response(status: status, output: printed.output, errors: printed.errors)
    }

    private var slow: StoreFault { .timedOut(store, seconds: patience) }

    private func start(
        _ path: String, _ method: String, _ input: Secret, _ stdout: Pipe, _ stderr: Pipe
    ) throws(StoreFault) -> ChildProgram {
        // Written before anybody reads: nothing has to be waited for, and no signal can come of it.
        let stdin = try Pipe(path)
        try stdin.fill(input)
        defer { for pipe in [stdout, stderr] { pipe.closeWriting() } }
        do {
            return try ChildProgram(
                detached: path, words: [path, method], environment: environment,
                descriptors: (stdin.reading, stdout.writing, stderr.writing))
        } catch {
            throw .helper(store, notStarted: path, errno: error.errno)
        }
    }

    /// Everything that the program prints. What others write, who hold its pipes open, is not waited for.
    /// - Returns: `nil` for more than the limit.
    private func collect(
        _ stdout: Pipe, _ stderr: Pipe, of program: ChildProgram, until deadline: ContinuousClock.Instant,
        unless signals: HeldSignals
    ) throws(StoreFault) -> (Secret, Secret)? {
        var output = SecretBuilder(limit: Self.limit), errors = SecretBuilder(limit: Self.limit)
        while true {
            let hadEnded = program.hasEnded(), isSilent = stdout.reading < 0 && stderr.reading < 0
            if hadEnded && isSilent { break }
            var ready = [stdout, stderr].map { pollfd(fd: $0.reading, events: Int16(POLLIN), revents: 0) }
            let count = poll(&ready, nfds_t(ready.count), hadEnded ? 0 : isSilent ? Self.shortInterval : Self.interval)
            if count < 0 && errno != EINTR { throw stdout.fault("poll", errno) }
            // What was written before the end is there to be read.
            if count == 0 && hadEnded { break }
            if count > 0 && ready[0].revents != 0, try !stdout.read(into: &output) { return nil }
            if count > 0 && ready[1].revents != 0, try !stderr.read(into: &errors) { return nil }
            // The signal will end this process.
            if signals.arePending { throw stdout.fault("wait", EINTR) }
            // It is this process that may have stood still, and not the program.
            guard ContinuousClock.now < deadline || program.hasEnded() else { throw slow }
        }
        guard let output = output.finish(), let errors = errors.finish() else { return nil }
        return (output, errors)
    }
}

/// Both ends of a pipe to a program, closed with it.
private final class Pipe {
    private(set) var reading: Int32
    private(set) var writing: Int32
    private let program: String

    /// - Parameter program: its path, for faults.
    init(_ program: String) throws(StoreFault) {
        self.program = program
        do {
            let ends = try PipeEnds()
            (reading, writing) = (ends.reading, ends.writing)
        } catch {
            throw .system(call: "pipe2", path: program, errno: error.errno)
        }
    }

    deinit { close() }

    func close() {
        if reading >= 0 { Glibc.close(reading) }
        reading = -1
        closeWriting()
    }

    func closeWriting() {
        if writing >= 0 { Glibc.close(writing) }
        writing = -1
    }

    func fault(_ call: String, _ code: Int32) -> StoreFault { .system(call: call, path: program, errno: code) }

    /// Writes all of it without waiting, and the end.
    func fill(_ secret: Secret) throws(StoreFault) {
        _ = fcntl(writing, F_SETFL, O_NONBLOCK)
        let count = secret.withUnsafeBytes { write(writing, $0.baseAddress, $0.count) }
        guard count == secret.count else { throw fault("write", count < 0 ? errno : EAGAIN) }
        closeWriting()
    }

    /// One piece; at the end the pipe is closed.
    /// - Returns: whether the builder had room for it.
    func read(into builder: inout SecretBuilder) throws(StoreFault) -> Bool {
        var fits = true
        let count = withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer -> Int in
            guard let start = buffer.baseAddress else { return 0 }
            defer { explicit_bzero(start, buffer.count) }
            let count = Glibc.read(reading, start, buffer.count)
            if count > 0 { fits = builder.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count < 0 && errno != EINTR { throw fault("read", errno) }
        if count == 0 { close() }
        return fits
    }
}

/// Reads a helper's output as docker's helpers write it.
enum HelperResponse {
    /// - Returns: the server URLs that `list` prints, whatever stands beside them.
    static func urls(_ output: Secret) -> [String]? {
        if trimmed(output) == "null" { return [] }
        return SecretJSON.members(output).map { Array($0.keys) }
    }

    static func trimmed(_ output: Secret) -> String {
        output.withUnsafeBytes { bytes in String(decoding: bytes.trimming { $0 <= 0x20 }, as: UTF8.self) }
    }
}
