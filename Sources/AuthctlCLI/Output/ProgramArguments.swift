import CProcess
import Glibc

/// The arguments that the program was started with. `CommandLine` has none where /proc is not mounted.
package enum ProgramArguments {
    /// With U+FFFD for what is not UTF-8.
    package static var strings: [String] {
        bytes.map { word in String(decoding: word.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self) }
    }

    /// Byte for byte, each with its NUL.
    static var bytes: [[CChar]] {
        var count: Int32 = 0
        guard let words = cprocess_arguments(&count) else { return [] }
        return (0..<Int(count)).compactMap { index in
            words[index].map { Array(UnsafeBufferPointer(start: $0, count: strlen($0) + 1)) }
        }
    }
}
