import CCurl
import Secrets

/// The connections of a transport: they outlive its transfers, each of which has a handle of its own. See libcurl-multi(3).
///
/// A handle is never used twice: libcurl 7.88 carries credentials over between the uses of one, and keeps a pointer to a
/// header line that `curl_easy_reset` has freed, which an answer that begins with a folded line makes it write through.
final class CurlConnections {
    fileprivate let raw: UnsafeMutableRawPointer
    private let isCancelled: (@Sendable () -> Bool)?
    /// Milliseconds between two looks at the clock, with and without an observer.
    private static let (shortPause, longPause): (Int32, Int32) = (Int32(ResponseWait.beat), 1000)
    /// Milliseconds between two looks if the caller may cancel, and if more of a body is to come.
    private static let (pauseToCancel, pauseForMore): (Int32, Int32) = (100, 20)
    /// A look that is later than this means that the process was stopped.
    private static let longestDelay = Duration.seconds(1)

    /// - Parameter isCancelled: asked while a transfer runs, which then ends with `CURLE_ABORTED_BY_CALLBACK`.
    init(_ library: CurlLibrary, isCancelled: (@Sendable () -> Bool)?) throws(LoginFault) {
        self.isCancelled = isCancelled
        guard let raw = ccurl_multi_init() else {
            throw .network(.other(code: Int(CURLE_FAILED_INIT.rawValue), text: "curl_multi_init"))
        }
        self.raw = raw
    }

    deinit {
        ccurl_multi_cleanup(raw)
    }

    /// Runs one transfer to its end, or until nobody needs more of it, in the time that its options allow. The time in which the process is stopped does not count:
    /// libcurl would give up before it has read what came meanwhile, and a refreshed token comes once.
    /// - Parameters:
    ///   - handle: a new one, with all its options.
    ///   - options: those; `nil` where a stop of the process may end it early.
    ///   - reader: of its body.
    ///   - isHeld: whether the connection is used by the handle itself afterwards; `release` ends that.
    func run(
        _ handle: CurlHandle, _ options: CurlOptions?, _ wait: ResponseWait, _ reader: SourceReader? = nil,
        isHeld: Bool = false
    ) -> CURLcode {
        guard ccurl_multi_add_handle(raw, handle.raw) == CURLM_OK else { return CURLE_FAILED_INIT }
        defer {
            if !isHeld { release(handle) }
            wait.end()
        }
        var running: Int32 = 1, stopped = Duration.zero
        while true {
            guard ccurl_multi_perform(raw, &running) == CURLM_OK else { return CURLE_BAD_FUNCTION_ARGUMENT }
            if running == 0 { return ccurl_multi_result(raw, handle.raw) }
            if wait.breaksOff() { return CURLE_OK }
            let start = SuspendingClock.now, pause = pause(wait, reader)
            if isCancelled?() == true { return CURLE_ABORTED_BY_CALLBACK }
            guard ccurl_multi_poll(raw, pause) == CURLM_OK else { return CURLE_BAD_FUNCTION_ARGUMENT }
            let delay = SuspendingClock.now - start - .milliseconds(Int(pause))
            if delay > Self.longestDelay {
                stopped += delay
                options?.prolong(handle, by: stopped)
            }
            wait.look(sent: handle)
            reader?.resume(handle)
        }
    }

    private func pause(_ wait: ResponseWait, _ reader: SourceReader?) -> Int32 {
        if reader?.isPaused == true { return Self.pauseForMore }
        if isCancelled != nil { return Self.pauseToCancel }
        return wait.isHeard ? Self.shortPause : Self.longPause
    }

    /// Takes a handle away, and closes a connection that it has held.
    func release(_ handle: CurlHandle) { ccurl_multi_remove_handle(raw, handle.raw) }
}

/// Tells how long a server lets a transfer wait for the first line of its answer (see `TransportSettings.whileWaiting`), and ends the
/// wait for a body that nobody needs.
final class ResponseWait {
    /// In milliseconds.
    fileprivate static let beat = 250

    private let tell: (@Sendable (ResponseTimeout) -> Void)?
    private var start = ContinuousClock.now
    private var next: ContinuousClock.Instant
    /// Bytes of the request that were sent at the last look.
    private var sent = 0
    private var isOver = false
    /// When the transfer is broken off; `nil` where somebody needs all of it.
    private var deadline: ContinuousClock.Instant?
    /// Whether that has happened.
    private(set) var isBrokenOff = false

    init(_ tell: (@Sendable (ResponseTimeout) -> Void)?) {
        self.tell = tell
        next = start + .milliseconds(Self.beat)
    }

    /// Whether there is still something to tell.
    var isHeard: Bool { tell != nil && !isOver }

    /// To be called again and again.
    /// - Parameter handle: while it still sends, the server is not late.
    func look(sent handle: CurlHandle) {
        guard let tell, !isOver else { return }
        let now = ContinuousClock.now
        guard now >= next else { return }
        next = now + .milliseconds(Self.beat)
        let count = handle.offset(CURLINFO_SIZE_UPLOAD_T)
        if count != sent { (sent, start) = (count, now) }
        tell(.waiting(seconds: (now - start) / .seconds(1)))
    }

    /// Has the transfer end soon, whole or not.
    func breakOff(after time: Duration) { deadline = .now + time }

    /// Whether it ends now.
    fileprivate func breaksOff() -> Bool {
        if let deadline, deadline <= .now { isBrokenOff = true }
        return isBrokenOff
    }

    /// The answer is there, or will not come. Called again it does nothing.
    func end() {
        guard let tell, !isOver else { return }
        isOver = true
        tell(.over)
    }
}

extension ClientIdentity {
    /// Has libcurl show the certificate to the server, never to a proxy. libcurl's copies are wiped when it frees them.
    func apply(to handle: CurlHandle) throws(LoginFault) {
        try handle.set(CURLOPT_SSLCERTTYPE, isPKCS12 ? "P12" : "PEM")
        try handle.set(CURLOPT_SSLCERT_BLOB, blob: certificate)
        if !isPKCS12 {
            try handle.set(CURLOPT_SSLKEYTYPE, "PEM")
            try handle.set(CURLOPT_SSLKEY_BLOB, blob: key ?? certificate)
        }
        if let passphrase {
            try passphrase.withCString { (text) throws(LoginFault) in try handle.set(CURLOPT_KEYPASSWD, text) }
        }
        // libcurl 7.88 does not look at the key when it takes a connection out of its cache (CVE-2026-8932).
        try handle.set(CURLOPT_FRESH_CONNECT, 1)
        try handle.set(CURLOPT_FORBID_REUSE, 1)
    }
}

/// Proof that libcurl is open; required for calling it.
///
/// The first one opens the library and costs some ten milliseconds; the others are free.
struct CurlLibrary: Sendable {
    /// The OpenSSL flavour on Debian, and the only one whose errors `TLSFault` can read.
    static let name = "libcurl.so.4"

    init(named name: String = Self.name) throws(LoginFault) {
        guard let problem = ccurl_open(name) else { return }
        throw .failure(.libraryMissing(String(cString: problem)))
    }
}
