import CProcess
import Glibc

/// A pipe of which no program inherits an end by chance: another thread may start one between two calls.
struct PipeEnds {
    let reading: Int32
    let writing: Int32

    /// Whoever makes it closes both ends.
    init() throws(ChildProgram.StartFailure) {
        var ends: [Int32] = [0, 0]
        guard cprocess_pipe(&ends) == 0 else { throw ChildProgram.StartFailure(errno: Glibc.errno) }
        (reading, writing) = (ends[0], ends[1])
    }
}
