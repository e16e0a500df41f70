import CProcess
import Glibc

/// Looks a program up as execvp(3) does: in `PATH`, unless a slash is in its name.
enum ProgramSearch {
    /// - Returns: a path with a slash in it.
    static func path(of name: String) throws(ChildProgram.StartFailure) -> String {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
        let problem = cprocess_find_program(name, &path, path.count)
        guard problem == 0 else { throw ChildProgram.StartFailure(errno: problem) }
        return path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? name }
    }
}
