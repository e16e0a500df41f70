import Secrets
import Testing

@Suite struct SecretBuilderTests {
    @Test func `what does not fit is not kept, not even a part of it`() throws {
        var builder = SecretBuilder(limit: 4)
        try builder.append("ab")
        var refused = false
        do throws(SecretBuilder.LimitExceeded) {
            try builder.append("cde")
        } catch {
            refused = error.limit == 4
        }
        #expect(refused)
        try builder.append("cd")
        #expect(builder.finish() == Secret("abcd"))
    }
}
