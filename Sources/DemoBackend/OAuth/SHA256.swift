import Foundation

/// SHA-256 (FIPS 180-4), for the code challenge of PKCE and for id_tokens. Written out here because the demo server imports none of authctl's
/// libraries: a mistake in those could otherwise agree with itself.
enum SHA256 {
    /// The digest of these bytes.
    static func digest(_ message: some Sequence<UInt8>) -> Data {
        var state: [UInt32] = [
            0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
        ]
        let bytes = padded(Array(message))
        for start in stride(from: 0, to: bytes.count, by: 64) { compress(bytes[start..<start + 64], into: &state) }
        return Data(state.flatMap(bigEndian))
    }

    /// HMAC (RFC 2104), for the signature of an id_token.
    static func authenticationCode(of message: some Sequence<UInt8>, key: some Collection<UInt8>) -> Data {
        let short = key.count > 64 ? Array(digest(key)) : Array(key)
        let block = short + [UInt8](repeating: 0, count: 64 - short.count)
        return digest(block.map { $0 ^ 0x5c } + digest(block.map { $0 ^ 0x36 } + Array(message)))
    }

    /// Section 5.1.1: a one, zeros, and the length in bits.
    private static func padded(_ message: [UInt8]) -> [UInt8] {
        let zeros = (119 - message.count % 64) % 64
        let length = UInt64(message.count) * 8
        return message + [0x80] + [UInt8](repeating: 0, count: zeros)
            + stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
    }

    /// Section 6.2.2.
    private static func compress(_ block: ArraySlice<UInt8>, into state: inout [UInt32]) {
        let schedule = schedule(of: block)
        var v = state
        for (word, constant) in zip(schedule, constants) {
            let choice = (v[4] & v[5]) ^ (~v[4] & v[6])
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2])
            let first = v[7] &+ (rotated(v[4], 6) ^ rotated(v[4], 11) ^ rotated(v[4], 25)) &+ choice &+ constant &+ word
            let second = (rotated(v[0], 2) ^ rotated(v[0], 13) ^ rotated(v[0], 22)) &+ majority
            v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
        }
        for index in state.indices { state[index] &+= v[index] }
    }

    private static func schedule(of block: ArraySlice<UInt8>) -> [UInt32] {
        let bytes = Array(block)
        var words = stride(from: 0, to: 64, by: 4).map { start in
            bytes[start..<start + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        for index in 16..<64 {
            let (two, fifteen) = (words[index - 2], words[index - 15])
            let late = rotated(two, 17) ^ rotated(two, 19) ^ (two >> 10)
            let early = rotated(fifteen, 7) ^ rotated(fifteen, 18) ^ (fifteen >> 3)
            words.append(late &+ words[index - 7] &+ early &+ words[index - 16])
        }
        return words
    }

    private static func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 {
        word >> count | word << (32 - count)
    }

    private static func bigEndian(_ word: UInt32) -> [UInt8] {
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
    }

    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}

extension Data {
    /// Base64 for URLs without padding (RFC 4648, 5; RFC 7636, appendix A).
    var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
