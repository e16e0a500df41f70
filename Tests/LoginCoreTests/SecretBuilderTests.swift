import Foundation
@testable import LoginTestSupport
import Secrets
import Testing

struct SecretBuilderTests {
    private func full() -> SecretBuilder {
        var builder = SecretBuilder(limit: 8)
        builder.append("ab")
        builder.append(Secret("12345"))
        builder.append(UInt8(ascii: "6"))
        return builder
    }

    /// The kernel's flags of its pages: `wf`, wiped on fork, and `dd`, in no dump (proc(5)).
    @Test func `a child of fork has zeros in the place of a secret`() throws {
        let memory = try Secret("correct horse").withUnsafeBytes { bytes in
            let place = UInt(bitPattern: bytes.baseAddress)
            var isThere = false, flags: [Substring] = []
            for line in try procFile("/proc/self/smaps").split(separator: "\n") {
                let words = line.split(separator: " ")
                let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
                if ends.count == 2 { isThere = (ends[0]..<ends[1]).contains(place) }
                if isThere, words[0] == "VmFlags:" { flags = words }
            }
            return flags
        }
        #expect(memory.contains("wf") && memory.contains("dd"), "\(memory)")
    }

    @Test func `everything up to the limit is kept`() {
        let secret = full().finish()
        #expect(secret == Secret("ab123456"))
    }

    @Test func `of what does not fit, nothing is kept, and there is no secret`() {
        var text = full(), secret = full(), byte = full()
        text.append("7")
        secret.append(Secret("7"))
        let fitted = byte.append(UInt8(ascii: "7"))
        #expect(!fitted)
        let counts = [text.count, secret.count, byte.count]
        #expect(counts == [8, 8, 8])
        let secrets = [text.finish(), secret.finish(), byte.finish()]
        #expect(secrets == [nil, nil, nil])
    }

    @Test func `what would fit after something that did not is not kept either`() {
        var builder = SecretBuilder(limit: 8)
        builder.append("123456789")
        builder.append("a")
        let fitted = builder.append(UInt8(ascii: "b"))
        #expect(!fitted)
        #expect(builder.count == 0)
        let secret = builder.finish()
        #expect(secret == nil)
    }
}
