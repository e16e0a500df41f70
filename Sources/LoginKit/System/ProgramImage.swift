import CProcess
import Glibc

/// A program as execve(2) takes it, found before anything else happens: it takes the place of authctl, or runs beside it on
/// the same terminal until it ends.
package struct ProgramImage {
    /// There is no such program, or it cannot be run.
    package struct Absence: Error, Equatable {
        /// The error of the search in `PATH` or of execve(2), as errno(3) has it.
        let errno: Int32
        /// Whether it was there when it was looked for.
        var wasFound = false

        /// As env(1) and every shell tell it: 127 for what is not there, 126 for what cannot be run.
        package var status: Int32 { errno == ENOENT && !wasFound ? 127 : 126 }

        /// The reason why it cannot be run, as a part of a sentence.
        package var words: String {
            guard errno == ENOENT else { return String(cString: strerror(errno)) }
            return wasFound ? "its interpreter was not found" : "not found"
        }
    }

    /// The end of a program that ran beside authctl.
    package enum Ending: Equatable, Sendable {
        case exited(Int32)
        case signalled(Int32)
    }

    private let path: [CChar]
    /// As they were given, since they need not be UTF-8; each with its NUL.
    var words: [[CChar]]
    /// The environment of the program; may be changed.
    package var environment: ProgramEnvironment
    /// Where it runs beside authctl; `nil` for the network of this machine.
    var network: OwnNetwork?
    private var handed: [(file: SealedFile, number: Int32)] = []

    /// - Parameters:
    ///   - words: the program, which is looked for in `PATH` unless a slash is in its name, and its arguments.
    ///   - environment: what it finds.
    package init(_ words: [[CChar]], environment: ProgramEnvironment) throws(Absence) {
        guard let name = words.first else { throw Absence(errno: ENOENT) }
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let problem = cprocess_find_program(name, &path, path.count)
        guard problem == 0 else { throw Absence(errno: problem) }
        self.path = path
        self.words = words
        self.environment = environment
    }

    /// Has the program find a file that can only be read at this descriptor, which is above 2 and given once.
    package mutating func hand(_ file: SealedFile, at number: Int32) {
        handed.append((file, number))
    }

    /// Takes the place of this process: same terminal, working directory and process, and everything else as authctl found
    /// it; no descriptors but 0, 1, 2 and what is handed over.
    /// - Returns: why that failed.
    package func become() -> Absence {
        Absence(errno: withC { cprocess_become($0) }, wasFound: true)
    }

    /// Runs the program with all that and waits for it. What the terminal sends reaches both; authctl goes on until the
    /// program ends, stops with it, and passes signals on.
    package func run() throws(Absence) -> Ending {
        var status: Int32 = 0
        let problem =
            network?.withC { network in withC(in: network) { cprocess_run_beside($0, &status) } }
            ?? withC { cprocess_run_beside($0, &status) }
        guard problem == 0 else { throw Absence(errno: problem, wasFound: true) }
        let signal = status & 0x7f
        return signal == 0 ? .exited((status >> 8) & 0xff) : .signalled(signal)
    }

    private func withC<Result>(
        in network: UnsafePointer<cprocess_network>? = nil, _ body: (UnsafePointer<cprocess_image>) -> Result
    ) -> Result {
        let places = handed.map { cprocess_handed(descriptor: $0.file.descriptor, number: $0.number) }
        return withCStrings(words) { arguments in
            withCStrings(environment.entries) { environment in
                path.withUnsafeBufferPointer { path in
                    places.withUnsafeBufferPointer { places in
                        var image = cprocess_image()
                        image.path = path.baseAddress
                        image.arguments = arguments
                        image.environment = environment
                        image.handed = places.baseAddress
                        image.handed_count = places.count
                        image.network = network
                        return body(&image)
                    }
                }
            }
        }
    }
}

/// A sealed file in memory, which cannot be changed any more.
package final class SealedFile {
    let descriptor: Int32

    /// It could not be made.
    package struct Failure: Error, Equatable {
        /// The error of the system call that failed, as errno(3) has it.
        package let errno: Int32
    }

    /// Copies the bytes into a new file (memfd_create(2)) and seals it (F_ADD_SEALS of fcntl(2)).
    /// - Throws: `Failure` where the kernel does not let it.
    package init(_ bytes: UnsafeRawBufferPointer) throws(Failure) {
        descriptor = cprocess_sealed_file(bytes.baseAddress, bytes.count)
        guard descriptor >= 0 else { throw Failure(errno: errno) }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }
}

/// Ends this process by a signal, as a program that it ran was ended. Returns only where that cannot be.
package func die(of signal: Int32) {
    cprocess_die(signal)
}
