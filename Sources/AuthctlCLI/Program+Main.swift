import CProcess
import LoginKit
import Glibc
import LoginCore
import Secrets

extension Program {
    /// The program in the real world, with the process protected before anything is opened.
    /// - Parameter arguments: with the name that the program was started by, which may be that of docker's helper.
    /// - Returns: the status to exit with.
    package static func main(_ arguments: [String]) -> Int32 {
        let isHelper = arguments.first?.split(separator: "/").last.map(String.init) == DockerCredentialCommand.program
        let command = isHelper ? [DockerCredentialCommand.name] : []
        switch cprocess_harden() {
        case .hardened:
            // The report of what is missing needs no secret.
            if let problem = Secret.memoryProblem(), !VersionReport.isAskedFor(by: command + arguments.dropFirst()) {
                Streams.standard.say(.failure(.libraryMissing(problem)), about: ErrorContext())
                return ExitCode.failure.rawValue
            }
            let ending = runAndForget(command + arguments.dropFirst())
            if cprocess_wipe_stack() == 0 { return finish(ending) }
            Streams.standard.say(
                "authctl: the memory of this run cannot be cleared of secrets, so nothing is done after it")
        case .privileged:
            // Whoever runs a set-uid copy could read its owner's secrets.
            Streams.standard.say("authctl: refusing to run set-uid, with the rights of another user")
        case .notHardened:
            Streams.standard.say("authctl: the process cannot be protected against debuggers and core dumps")
        }
        return ExitCode.failure.rawValue
    }

    /// A call of its own, so that nothing of the run is alive, and all of it below, when the stack is wiped.
    @inline(never)
    private static func runAndForget(_ arguments: [String]) -> Ending {
        Program(.real(), .real()).run(arguments)
    }

    /// By now the run is over, and its secrets are wiped.
    private static func finish(_ ending: Ending) -> Int32 {
        ending.status { image in
            let absence = image.become()
            Streams.standard.say("authctl: the command cannot be run: \(absence.words)")
            return absence.status
        } dying: { number in
            die(of: number)
            return 128 + number
        }
    }
}
