import AuthctlCLI
import CProcess
import Glibc

switch cprocess_harden() {
case .hardened:
    exit(Program.real().run(Array(CommandLine.arguments.dropFirst())).rawValue)
case .privileged:
    // Whoever runs a set-uid copy could read its owner's secrets.
    fputs("authctl: refuses to run with the rights of another user (set-uid)\n", stderr)
    exit(1)
case .notHardened:
    fputs("authctl: the process could not be protected against debuggers and core dumps\n", stderr)
    exit(1)
}
