import Foundation
import Testing

/// The programs of real servers that some tests need.
enum RealServer {
    /// Runs a test or a suite only where a program is installed, and says so where it is not. With
    /// `AUTHCTL_E2E=required` in the environment the test runs all the same, and fails.
    static func require(_ program: String) -> ConditionTrait {
        .enabled(
            if: isRequired || path(of: program) != nil,
            "\(program) is not installed (AUTHCTL_E2E=required makes that a failure)")
    }

    /// Where a program is, the folders of the administrator's programs included.
    static func path(of program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/bin"]
        return folders.map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// The same for a module of Python.
    static func requirePython(_ module: String) -> ConditionTrait {
        .enabled(
            if: isRequired || python(with: module) != nil,
            "Python has no \(module) (AUTHCTL_E2E=required makes that a failure)")
    }

    /// The same for the packages of scripts/requirements-tests.txt.
    static func requirePackage(_ module: String) -> ConditionTrait {
        .enabled(
            if: isRequired || packagesPython.map { has(module, $0) } == true,
            "scripts/deps test did not install \(module) (AUTHCTL_E2E=required makes that a failure)")
    }

    /// The Python of those packages, where `scripts/deps test` put it.
    static var packagesPython: String? { packagesPython(in: "venv") }

    /// The same in another folder of packages from PyPI.
    static func packagesPython(in folder: String) -> String? {
        let environment = ProcessInfo.processInfo.environment
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.isEmpty ? nil : $0 }
        let python = (cache ?? (environment["HOME"] ?? "") + "/.cache") + "/authctl-tests/\(folder)/bin/python3"
        return FileManager.default.isExecutableFile(atPath: python) ? python : nil
    }

    /// The Python that has a module: the system's, which has the packages of the system, or the one in the path.
    static func python(with module: String) -> String? {
        ["/usr/bin/python3", path(of: "python3")].compactMap { $0 }.first { has(module, $0) }
    }

    /// Found, and not run: some take seconds to import.
    private static func has(_ module: String, _ python: String) -> Bool {
        let script = "import importlib.util, sys; sys.exit(not importlib.util.find_spec('\(module)'))"
        let spec = ChildSpec(python, ["-c", script], environment: ProcessInfo.processInfo.environment)
        return (try? Command.run(spec))?.ending == .exited(0)
    }

    /// Runs a test or a suite only where Debian has the package; `scripts/deps` has the same list of what it dropped.
    static func requireDebian(with package: String) -> ConditionTrait {
        .enabled(if: isInDebian(package), "this Debian has no \(package) any more")
    }

    /// Whether the Debian that this is still has a package of Debian 12, or runs a program of PyPI that Debian 12 runs.
    static func isInDebian(_ package: String) -> Bool {
        !isDebian13 || !["simplesamlphp", "tt-rss", "superset"].contains(package)
    }

    /// Whether this is Debian 13, or a later one.
    static let isDebian13 = {
        let release = (try? String(contentsOfFile: "/etc/os-release", encoding: .utf8)) ?? ""
        guard release.contains(/(?m)^ID=debian$/) else { return false }
        return release.firstMatch(of: /(?m)^VERSION_ID="?([0-9]+)/).flatMap { Int($0.1) } ?? .max > 12
    }()

    static var isRequired: Bool {
        ProcessInfo.processInfo.environment["AUTHCTL_E2E"] == "required"
    }
}
