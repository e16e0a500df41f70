@testable import LoginKit
import Foundation

/// docker-credential-secretservice on a bus of its own, with a keyring that is open.
final class SecretServiceHelper {
    private let folder = TemporaryFolder()
    private var running: [Process] = []
    private(set) var variables: [String: String] = [:]

    init() throws {
        variables = ["HOME": folder.parent, "XDG_RUNTIME_DIR": folder.parent, "PATH": "/usr/bin:/bin"]
        let address = "unix:path=\(folder.parent)/bus"
        variables["DBUS_SESSION_BUS_ADDRESS"] = address
        try start("/usr/bin/dbus-daemon", ["--session", "--nofork", "--nopidfile", "--address=\(address)"])
        try wait { FileManager.default.fileExists(atPath: "\(self.folder.parent)/bus") }
        try start("/usr/bin/gnome-keyring-daemon", ["--foreground", "--unlock", "--components=secrets"], input: "x")
        let owner = [
            "dbus-send", "--print-reply", "--dest=org.freedesktop.DBus", "/", "org.freedesktop.DBus.NameHasOwner",
            "string:org.freedesktop.secrets",
        ]
        try wait {
            try Program.run(["-i"] + self.variables.map { "\($0.key)=\($0.value)" } + owner).output.contains("true")
        }
    }

    deinit {
        for process in running.reversed() {
            // Not SIGTERM: a child of a Swift concurrency thread starts with all signals blocked.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    var store: HelperStore { HelperStore(helper: "secretservice", environment: ProgramEnvironment(variables)) }

    private func start(_ program: String, _ arguments: [String], input: String = "") throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.environment = variables
        let pipe = Pipe()
        process.standardInput = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        running.append(process)
        pipe.fileHandleForWriting.write(Data(input.utf8))
        try pipe.fileHandleForWriting.close()
    }

    private func wait(for condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while try !condition() {
            guard ContinuousClock.now < deadline else { throw CocoaError(.featureUnsupported) }
            usleep(20_000)
        }
    }
}
