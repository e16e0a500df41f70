import Foundation

/// Finds the programs that were built together with the running tests.
enum BuiltProducts {
    /// authctl is the one that `AUTHCTL_PROGRAM` names, where it does: `make test` names the release, which starts in a third of
    /// the time that the debug build's argument parser takes, and is what people get.
    /// - Throws: `NotBuilt`, with the folders that were looked through.
    static func path(of program: String) throws -> String {
        if program == "authctl", let given = ProcessInfo.processInfo.environment["AUTHCTL_PROGRAM"], !given.isEmpty {
            return given
        }
        for folder in folders {
            let path = folder + "/" + program
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw NotBuilt(program: program, folders: folders)
    }

    struct NotBuilt: Error {
        let program: String
        let folders: [String]
    }

    /// The test runner is either a bundle's own program, which lies beside the products, or a helper of SwiftPM that
    /// gets the bundle's path as an argument.
    private static var folders: [String] {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let bundles = CommandLine.arguments.filter { $0.contains(".xctest") }
        return ([own] + bundles).map { URL(fileURLWithPath: $0).deletingLastPathComponent().path }
    }
}
