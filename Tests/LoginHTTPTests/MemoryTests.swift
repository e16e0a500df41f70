import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Secrets
import Testing

struct `Memory` {
    /// The server is another process, or its own log would be found.
    @Test(arguments: [true, false])
    func `Memory holds no copy of a credential once the transport is gone`(isKept: Bool) async {
        await #expect(processExitsWith: .success) { [isKept] in
            let certificates = try TestCertificates()
            let pair = try certificates.selfSigned()
            let server = try TLSServer(pair)
            // A password of twenty letters and a part of its Basic header, turned over, so that what is looked for does
            // not lie in the program itself.
            let turned: [UInt8] = [
                0xa5, 0x8e, 0xc8, 0x88, 0xad, 0x94, 0xcd, 0x89, 0xab, 0x91,
                0xc6, 0x87, 0xb3, 0x92, 0xcb, 0x8f, 0xb8, 0x9b, 0xc7, 0x8c,
            ]
            let basic: [UInt8] = [0xaa, 0x92, 0x8c, 0x86, 0x9b, 0x93, 0xad, 0x8a, 0xb0, 0xa7, 0x97, 0xb2]
            let password = Secret(count: turned.count) { bytes in
                for index in turned.indices { bytes[index] = ~turned[index] }
            }
            try sendEverywhere(password, to: server.origin, authorities: pair.certificate)
            // Something must be found where something was left, or nothing proves nothing.
            let left = isKept ? turned.map { ~$0 } : []
            let found = try WritableMemory.count(turned: turned) + WritableMemory.count(turned: basic)
            try #require(isKept ? found > 0 : found == 0)
            try #require(left.isEmpty != isKept)
        }
    }
}

/// As Basic, as header, as body, as cookie; the answer is short.
private func sendEverywhere(_ password: Secret, to origin: Origin, authorities: String) throws {
    let transport = CurlTransport(origin: origin, settings: TransportSettings(caFile: authorities))
    let record = Secret("127.0.0.1\tFALSE\t/\tTRUE\t0\tname\t", followedBy: password)
    let cookie = Cookie(name: "name", value: password, record: record, expires: nil)
    let response = try transport.send(
        HTTPRequest(
            method: "POST", url: "\(origin)/", headers: [HTTPRequestField(name: "X-Token", value: password)],
            body: password, basic: BasicCredential(username: "user", password: password), cookies: [cookie]))
    try #require(response.status == 200 && response.cookies.count == 1)
}

/// What the process could write to: heap, stacks and data.
private enum WritableMemory {
    static func count(turned needle: [UInt8]) throws -> Int {
        let maps = try procFile("/proc/self/maps")
        return maps.split(separator: "\n").reduce(0) { total, line in
            let fields = line.split(separator: " ")
            let bounds = fields[0].split(separator: "-").compactMap { UInt(String($0), radix: 16) }
            guard fields[1].hasPrefix("rw"), let start = UnsafeRawPointer(bitPattern: bounds[0]) else { return total }
            return total + count(needle, in: UnsafeRawBufferPointer(start: start, count: Int(bounds[1] - bounds[0])))
        }
    }

    private static func count(_ needle: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int {
        guard let start = bytes.baseAddress else { return 0 }
        let first = ~needle[0]
        var found = 0
        var offset = 0
        while offset + needle.count <= bytes.count,
            let hit = memchr(start + offset, Int32(first), bytes.count - offset - needle.count + 1)
        {
            let index = UnsafeRawPointer(hit) - start
            if needle.indices.allSatisfy({ bytes[index + $0] == ~needle[$0] }) { found += 1 }
            offset = index + 1
        }
        return found
    }
}
