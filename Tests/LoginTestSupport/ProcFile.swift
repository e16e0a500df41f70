import Foundation

/// The text of a file of proc(5). `String(contentsOfFile:)` ends after 4 KiB there, as such a file has no size.
package func procFile(_ path: String) throws -> String {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
}
