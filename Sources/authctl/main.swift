import AuthctlCLI
import Glibc

exit(Program.main(CommandLine.arguments))
