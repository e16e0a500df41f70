import AuthctlCLI
import Glibc

exit(Program.main(ProgramArguments.strings))
