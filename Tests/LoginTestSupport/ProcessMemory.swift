import Foundation

/// Looks into the memory of another process, which takes root where that process is hardened.
enum ProcessMemory {
    /// How often `pattern` stands in the writable memory of the process.
    static func count(of pattern: [UInt8], in pid: Int32) throws -> Int {
        try writable(of: pid).reduce(0) { sum, mapping in sum + occurrences(of: pattern, in: mapping.bytes) }
    }

    /// A copy of all memory that a process can or could write to: what is writable, and guarded pages that were made
    /// read-only since.
    struct Image {
        fileprivate let mappings: [Mapping]

        /// - Parameter pid: of a process that stands still, or the copy is of no one moment.
        init(of pid: Int32) throws {
            mappings = try ProcessMemory.writable(of: pid)
        }

        /// How many mappings were copied.
        var places: Int { mappings.count }
        /// How many bytes they hold.
        var bytes: Int { mappings.reduce(0) { $0 + $1.bytes.count } }

        /// Every form of every secret that is in it, with the mapping.
        func hits(_ sweep: LeakSweep) -> [LeakSweep.Hit] {
            // A secret has no zeros in it, so no form of it lies across a page of zeros.
            mappings.flatMap { mapping in
                ProcessMemory.parts(mapping.bytes).flatMap { sweep.hits(in: $0, place: mapping.name) }
            }
        }
    }

    fileprivate struct Mapping {
        let name: String
        let bytes: Data
    }

    fileprivate static func writable(of pid: Int32) throws -> [Mapping] {
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EACCES) }
        defer { close(memory) }
        let maps = try text(of: "/proc/\(pid)/maps")
        return maps.split(separator: "\n").compactMap { line in
            let columns = line.split(separator: " ", omittingEmptySubsequences: true)
            let ends = columns[0].split(separator: "-").compactMap { Int($0, radix: 16) }
            // Without a name and without the right to write: guarded memory that was filled before.
            let isAnonymous = columns.count < 6
            guard ends.count == 2, columns[1].hasPrefix("rw") || (isAnonymous && columns[1].hasPrefix("r-")),
                !line.hasSuffix("[vvar]")
            else { return nil }
            var bytes = [UInt8](repeating: 0, count: ends[1] - ends[0])
            let got = pread(memory, &bytes, bytes.count, off_t(ends[0]))
            return got > 0 ? Mapping(name: String(line), bytes: Data(bytes[..<got])) : nil
        }
    }

    /// A file of proc(5) whole: the kernel hands it out in pieces, and Foundation takes the first short one for the end.
    private static func text(of path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EACCES) }
        defer { close(file) }
        var text: [UInt8] = [], piece = [UInt8](repeating: 0, count: 65536)
        while case let got = read(file, &piece, piece.count), got > 0 { text += piece[..<got] }
        return String(decoding: text, as: UTF8.self)
    }

    /// The runs of pages that are not all zeros.
    fileprivate static func parts(_ bytes: Data) -> [Data] {
        let page = 4096
        var parts: [Data] = [], start: Int?
        bytes.withUnsafeBytes { buffer in
            for offset in stride(from: 0, to: buffer.count, by: page) {
                let rest = UnsafeRawBufferPointer(rebasing: buffer[offset..<min(offset + page, buffer.count)])
                let isEmpty = isZero(rest)
                if isEmpty, let begun = start {
                    parts.append(bytes.subdata(in: begun..<offset))
                    start = nil
                } else if !isEmpty, start == nil {
                    start = offset
                }
            }
        }
        if let begun = start { parts.append(bytes.subdata(in: begun..<bytes.count)) }
        return parts
    }

    private static func isZero(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, bytes.first == 0 else { return false }
        return memcmp(start, start + 1, bytes.count - 1) == 0
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
