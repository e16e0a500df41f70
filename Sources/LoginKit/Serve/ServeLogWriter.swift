import Glibc
package import LoginCore

/// Writes the log of one run.
package final class ServeLogWriter: ServeLog {
    private let file: ServeLogFile
    private let origin: ServeLogLine.Origin
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - path: absolute; a person's choice, or in the state folder.
    ///   - clock: Unix time.
    private init(_ file: ServeLogFile, _ origin: ServeLogLine.Origin, clock: @escaping @Sendable () -> Int64) {
        (self.file, self.origin, self.clock) = (file, origin, clock)
    }

    package func began(_ entry: ServeLogEntry) throws(LoginFault) {
        try append(.began(entry, time: clock(), origin: origin))
    }

    package func ended(_ end: ServeLogEnd) throws(LoginFault) { try append(.ended(end)) }

    package func warned(_ text: String) {
        do throws(LoginFault) {
            try append(.warned(text, time: clock(), origin: origin))
        } catch {
            // The next request is refused if there still is no log.
        }
    }

    private func append(_ line: ServeLogLine) throws(LoginFault) {
        do throws(StoreFault) {
            try file.append(line.text)
        } catch {
            throw error.asLogFault
        }
    }

    /// A log that was opened before anybody has logged in.
    package struct Prepared: Sendable {
        private let file: ServeLogFile

        /// The file that a person has chosen.
        /// - Parameter path: absolute.
        package init(at path: String) throws(LoginFault) { try self.init(path, isOwnFolder: false) }

        /// The one in the state folder.
        package init(of profile: String, in paths: Paths) throws(LoginFault) {
            try self.init(ServeLogReader.path(of: profile, in: paths), isOwnFolder: true)
        }

        private init(_ path: String, isOwnFolder: Bool) throws(LoginFault) {
            file = ServeLogFile(path, isOwnFolder: isOwnFolder)
            do throws(StoreFault) {
                try file.prepare()
            } catch {
                throw error.asLogFault
            }
        }

        package func writer(profile: String, account: String) -> ServeLogWriter {
            let origin = ServeLogLine.Origin(profile: profile, account: account, pid: getpid())
            return ServeLogWriter(file, origin) { Int64(time(nil)) }
        }
    }
}

extension StoreFault {
    /// The same about a log, in which no logins are stored.
    var asLogFault: LoginFault {
        switch self {
        case .unsafeFile(let path, let problem):
            .usage(.other("the log \(SafeText.quoted(path)) is not used: \(problem)"))
        case .system(let call, let path, let errno):
            .failure(.system(call: "\(call) of the log \(SafeText.quoted(path))", errno: errno))
        case .noSpace(let path, let errno):
            .failure(.system(call: "writing the log \(SafeText.quoted(path))", errno: errno))
        case .locked(let path, let seconds):
            .failure(.other("another process has held the log \(SafeText.quoted(path)) for \(seconds) seconds"))
        case .unavailable, .noneWorks, .wrongPassphraseOrDamaged, .damaged, .newerVersion, .notSetUp, .alreadySetUp,
            .passphraseMissing, .newPassphraseMissing, .timedOut, .secretService, .tooLarge, .namesTooLong,
            .cannotBePermanent, .passphraseFile, .passphraseCancelled, .passphraseBlank, .passphraseExpired, .helper,
            .shared, .usage:
            .store(self)
        }
    }
}
