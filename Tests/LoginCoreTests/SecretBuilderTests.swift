import Secrets
import Testing

struct SecretBuilderTests {
    @Test func `of what does not fit, nothing is kept`() throws {
        var builder = SecretBuilder(limit: 8)
        try builder.append("ab")
        #expect(throws: SecretBuilder.LimitExceeded.self) { try builder.append("1234567") }
        #expect(throws: SecretBuilder.LimitExceeded.self) { try builder.append(Secret("1234567")) }
        #expect(builder.count == 2)
        try builder.append("123456")
        #expect(throws: SecretBuilder.LimitExceeded.self) { try builder.append(UInt8(ascii: "7")) }
        #expect(builder.finish() == Secret("ab123456"))
    }
}
