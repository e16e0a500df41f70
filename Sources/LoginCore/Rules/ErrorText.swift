import Secrets

extension HTTPResponse {
    /// The members of a JSON error that hold a sentence, the most telling first; the last two are of problem details alone
    /// (RFC 9457, section 3.1) and mean something else in a response that is no error.
    private static let errorMembers = ["message", "error_description", "detail", "error", "title"]
    private static let problemMembers = ["detail", "title"]

    /// The reason for a refusal at the top level of a JSON body (RFC 6749, section 5.2; RFC 9457).
    var errorText: String? {
        do throws(JSONFault) {
            let body = try body.withUnsafeBytes { (bytes) throws(JSONFault) in try JSONReader.read(bytes) }
            guard case .object(let members) = body else { return nil }
            for name in Self.errorMembers where status >= 400 || !Self.problemMembers.contains(name) {
                if case .string(let text)? = members[name], !text.isEmpty { return text }
            }
            return nil
        } catch {
            return nil
        }
    }
}
