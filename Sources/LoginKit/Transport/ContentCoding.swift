import CCurl
import Secrets

/// The coding of a body that nobody asked for (RFC 9110, section 8.4). authctl asks for `identity`, and some servers do not listen.
struct ContentCoding {
    /// In lower case, without those that mean nothing to a browser either.
    private let names: [String]

    private static let (packed, known) = (
        ["gzip", "x-gzip", "deflate"],
        ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd", "dcb", "dcz"]
    )
    /// libcurl's own, so that it is there.
    private static let library = "libz.so.1"

    init(_ fields: [HTTPResponseField]) {
        names = fields.filter { $0.name.lowercased() == "content-encoding" }
            .flatMap { $0.value.lowercased().split(separator: ",") }
            .map { $0.filter { !$0.isWhitespace } }.filter { Self.known.contains($0) }
    }

    /// The body itself.
    /// - Parameter limit: in bytes, as for a body that is not encoded: a few kilobytes may unpack to gigabytes.
    /// - Throws: `brokenResponse` where it cannot be decoded, `answerTooLarge`.
    func decoded(_ body: Secret, limit: Int) throws(LoginFault) -> Secret {
        guard !names.isEmpty, !body.isEmpty else { return body }
        // Nobody packs twice but to make a bomb.
        guard names.count == 1, Self.packed.contains(names[0]) else { throw fault("") }
        if let problem = ccurl_open_zlib(Self.library) { throw .failure(.libraryMissing(String(cString: problem))) }
        // Both headers are told apart by zlib; some servers leave out that of deflate.
        for window: Int32 in names[0] == "deflate" ? [47, -15] : [47] {
            let count = body.withUnsafeBytes { ccurl_inflate($0.baseAddress, $0.count, nil, limit, window) }
            if count == -2 { throw .network(.answerTooLarge(limit: limit)) }
            guard count >= 0 else { continue }
            return body.withUnsafeBytes { packed in
                Secret(count: count) { place in
                    _ = ccurl_inflate(packed.baseAddress, packed.count, place.baseAddress, count, window)
                }
            }
        }
        throw fault(", and cannot be unpacked")
    }

    private func fault(_ more: String) -> LoginFault {
        .network(.brokenResponse("its body is encoded as \(names.joined(separator: ", "))\(more)"))
    }
}
