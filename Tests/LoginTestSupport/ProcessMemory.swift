import Foundation

/// Looks into the memory of another process, which takes root where that process is hardened.
public enum ProcessMemory {
    /// How often `pattern` stands in the writable memory of the process.
    public static func count(of pattern: [UInt8], in pid: Int32) throws -> Int {
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EACCES) }
        defer { close(memory) }
        return try writableRanges(of: pid).reduce(0) { sum, range in
            var bytes = [UInt8](repeating: 0, count: range.count)
            let got = pread(memory, &bytes, bytes.count, off_t(range.lowerBound))
            return sum + (got > 0 ? occurrences(of: pattern, in: Data(bytes[..<got])) : 0)
        }
    }

    private static func writableRanges(of pid: Int32) throws -> [Range<Int>] {
        let maps = try String(contentsOfFile: "/proc/\(pid)/maps", encoding: .utf8)
        return maps.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " "), ends = columns[0].split(separator: "-")
            guard columns[1].hasPrefix("rw"), ends.count == 2, !line.hasSuffix("[vvar]"),
                let start = Int(ends[0], radix: 16), let end = Int(ends[1], radix: 16)
            else { return nil }
            return start..<end
        }
    }

    private static func occurrences(of pattern: [UInt8], in bytes: Data) -> Int {
        var count = 0, rest = bytes.startIndex..<bytes.endIndex
        while let found = bytes.range(of: Data(pattern), in: rest) {
            count += 1
            rest = found.upperBound..<bytes.endIndex
        }
        return count
    }
}
