import CProcess
import Glibc

/// A machine that ssh(1) leads to, and what is wanted there.
package struct SSHMachine: Equatable, Sendable {
    /// As ssh_config(5) knows it.
    package let host: String
    /// Settings of ssh_config(5), each as behind `-o`.
    let options: [String]
    /// A line for the login shell there; `nil` for a shell.
    let command: String?
    let wantsTerminal: Bool
    /// The time for the questions of ssh and for the login shell, in seconds.
    let patience: Int

    package init(host: String, options: [String], command: String?, wantsTerminal: Bool, patience: Int) {
        (self.host, self.options, self.patience) = (host, options, patience)
        (self.command, self.wantsTerminal) = (command, wantsTerminal)
    }
}

/// The connection of an `authctl ssh`. Its first channel keeps a folder on the machine, and is the master of the second, for the command
/// (`ControlMaster` of ssh_config(5)), with which it ends.
final class SSHConnection {
    private let machine: SSHMachine
    private let socket: String
    private let environment: ProgramEnvironment
    private let program: ChildProgram
    /// Standard input and output of the first channel.
    private let input: Int32
    private let output: Int32
    private var folder = ""

    /// The bytes that ssh adds to the name of its socket while it makes it.
    static let longerName = 17
    /// The time that the machine has to remove the folder.
    private static let patience = Duration.seconds(5)
    /// The bytes that a login shell may print.
    private static let most = 1 << 20

    /// Connects, for which ssh may have questions at the terminal, and makes the folder.
    /// - Parameters:
    ///   - socket: the path of ssh's own, in a folder that is there.
    ///   - script: `SSHScripts.folder`.
    ///   - environment: of ssh.
    init(
        to machine: SSHMachine, at socket: String, script: String, _ environment: ProgramEnvironment
    ) throws(LoginFault) {
        (self.machine, self.socket, self.environment) = (machine, socket, environment)
        let first = ["-M", "-T", "-o", "ControlPersist=no"]
        (program, input, output) = try Self.start(
            machine.words(at: socket, first, "sh -s"), environment, hasInput: true)
        // If ssh has ended, that is what is told.
        var script = script
        _ = script.withUTF8 { UnsafeRawBufferPointer($0).writeAll(to: input) }
        let host = SafeText.quoted(machine.host)
        do throws(SecretFile.Problem) {
            folder = try Self.line(behind: SSHScripts.mark, from: output, within: .seconds(machine.patience))
        } catch {
            let status = end()
            guard error != .tookTooLong else {
                throw .failure(
                    "\(host) did not run what ssh sent within \(machine.patience) seconds",
                    next: "answer the questions of ssh sooner, or allow more time: --prompt-timeout SECONDS")
            }
            guard status != 255 else {
                throw .failure(
                    "ssh made no connection to \(host)", next: "try: \(ShellCommand(machine.words([], "true")))")
            }
            throw .failure("no folder for the run could be made on \(host); it needs sh, cat and mktemp")
        }
    }

    /// Has a port of the machine lead to a Unix socket of this machine, which nobody else can take once the run is over.
    /// - Returns: the arguments of ssh for the second channel.
    func command(leadingTo socket: String) throws(LoginFault) -> [String] {
        let way = ["-O", "forward", "-R", "127.0.0.1:0:\(socket)"]
        let (forward, _, output) = try Self.start(machine.words(at: self.socket, way), environment, hasInput: false)
        let drawn = (try? Self.line(behind: "", from: output, within: .seconds(machine.patience))).flatMap { Int($0) }
        close(output)
        _ = forward.end(by: .now + Self.patience)
        guard let drawn else {
            throw .failure(
                "\(SafeText.quoted(machine.host)) lets ssh forward no port",
                next: "it needs 'AllowTcpForwarding yes' in its sshd_config(5)")
        }
        let line = ShellCommand("sh", "\(folder)/start", "\(drawn)").description
        return machine.words(at: self.socket, machine.wantsTerminal ? ["-t"] : [], line)
    }

    /// Removes the folder, and waits for the end of the connection.
    /// - Returns: the status of ssh; `nil` if it had to be ended.
    @discardableResult
    func end() -> Int32? {
        close(input)
        defer { close(output) }
        return program.end(by: .now + Self.patience)
    }

    /// - Returns: with the ends of pipes, which the caller closes.
    private static func start(
        _ words: [String], _ environment: ProgramEnvironment, hasInput: Bool
    ) throws(LoginFault) -> (program: ChildProgram, input: Int32, output: Int32) {
        cprocess_terminal_disarm()
        do throws(ChildProgram.StartFailure) {
            let output = try PipeEnds()
            defer { close(output.writing) }
            guard hasInput else {
                return (try ChildProgram(words, environment, output: output.writing), -1, output.reading)
            }
            let input = try PipeEnds()
            defer { close(input.reading) }
            return (
                try ChildProgram(words, environment, input: input.reading, output: output.writing), input.writing,
                output.reading
            )
        } catch {
            throw .failure(.system(call: "ssh", errno: error.errno))
        }
    }

    /// - Returns: the rest of the first line that begins like this.
    /// - Throws: `tooLong` where there is none, too.
    private static func line(
        behind mark: String, from descriptor: Int32, within patience: Duration
    ) throws(SecretFile.Problem) -> String {
        let wait = InputWait(descriptor: descriptor, deadline: .now + patience)
        var line: [UInt8] = [], count = 0, found: String?
        try SecretFile.eachByte(of: descriptor, waiting: wait) { byte in
            count += 1
            // What is longer is no path.
            if byte != UInt8(ascii: "\n") {
                if line.count < Int(PATH_MAX) { line.append(byte) }
            } else if line.starts(with: mark.utf8) {
                found = String(decoding: line.dropFirst(mark.utf8.count), as: UTF8.self)
            } else {
                line = []
            }
            return found == nil && count < most
        }
        guard let found else { throw .tooLong }
        return found
    }
}

extension SSHMachine {
    /// The words of ssh. What is set here goes before the person's own options, and these before their files.
    fileprivate func words(at socket: String? = nil, _ options: [String], _ command: String? = nil) -> [String] {
        // Their RemoteCommand would take the place of ours.
        let own =
            socket.map {
                ["-S", $0.replacing("%", with: "%%"), "-o", "RemoteCommand=none", "-o", "ClearAllForwardings=no"]
            } ?? []
        return ["ssh"] + own + options + self.options.flatMap { ["-o", $0] } + ["--", host]
            + (command.map { [$0] } ?? [])
    }
}
