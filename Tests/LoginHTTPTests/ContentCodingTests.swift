import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

/// Bodies that are encoded though nobody asked for it (RFC 9110, section 8.4).
struct ContentCodingTests {
    private static let text = "{\"name\":\"ann\"}"
    private static let raw: [UInt8] = [
        0xab, 0x56, 0xca, 0x4b, 0xcc, 0x4d, 0x55, 0xb2, 0x52, 0x4a, 0xcc, 0xcb, 0x53, 0xaa, 0x05, 0x00,
    ]
    private static let gzip =
        [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 3] + raw + [0x58, 0xfa, 0xda, 0x8c, 0x0e, 0, 0, 0]
    private static let zlib = [0x78, 0x9c] + raw + [0x22, 0xbe, 0x04, 0x99]

    /// A megabyte of zeros for each kilobyte.
    private static func bomb(megabytes: Int) throws -> [UInt8] {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-c", "import gzip, sys; sys.stdout.buffer.write(gzip.compress(bytes(\(megabytes) << 20)))",
        ]
        process.standardOutput = output
        try process.run()
        return Array(output.fileHandleForReading.readDataToEndOfFile())
    }

    private func body(_ bytes: [UInt8], _ coding: String) throws -> String {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: \(bytes.count)\r\nContent-Encoding: \(coding)\r\n\r\n"
        let server = try RecordingServer([RecordingServer.Reply(bytes: Array(head.utf8) + bytes)])
        let response = try CurlTransport(origin: server.origin).send(HTTPRequest(method: "GET", url: server.url()))
        return response.body.unprotectedText
    }

    @Test(arguments: [
        ("gzip", gzip), ("X-GZip", gzip), ("identity, gzip", gzip), ("gzip", gzip + gzip), ("gzip", gzip + [0, 0]),
        ("deflate", zlib), ("deflate", raw), ("identity", Array(text.utf8)), ("UTF-8", Array(text.utf8)),
        ("gzip", []), ("br", []),
    ])
    func `a body is what it means, whatever it was packed in`(coding: String, bytes: [UInt8]) throws {
        let text = String(repeating: Self.text, count: bytes.count == 2 * Self.gzip.count ? 2 : 1)
        #expect(try body(bytes, coding) == (bytes.isEmpty ? "" : text))
    }

    @Test(arguments: [
        ("br", gzip), ("zstd", gzip), ("compress", gzip), ("gzip, gzip", gzip), ("gzip", Array(gzip.dropLast(9))),
        ("gzip", Array(text.utf8)), ("deflate", gzip.reversed()),
    ])
    func `a body that cannot be unpacked is a broken response, which names its coding`(coding: String, bytes: [UInt8]) {
        guard case .network(.brokenResponse(let problem))? = fault({ _ = try body(bytes, coding) }) else {
            Issue.record("\(coding)")
            return
        }
        #expect(problem.hasPrefix("its body is encoded as \(coding)"))
    }

    @Test func `a body that unpacks to more than the limit is refused`() throws {
        let bytes = try Self.bomb(megabytes: 64)
        #expect(bytes.count < 1 << 20)
        #expect(fault { _ = try body(bytes, "gzip") } == .network(.answerTooLarge(limit: 1 << 20)))
    }
}
