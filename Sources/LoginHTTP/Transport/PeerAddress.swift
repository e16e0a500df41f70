internal import CCurl
internal import Glibc

/// The address at the other end of a socket, without the port.
struct PeerAddress: Equatable {
    /// Four bytes of IPv4 or sixteen of IPv6; an IPv4 address that is mapped into IPv6 counts as IPv4.
    let bytes: [UInt8]

    init?(bytes: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255]
        switch bytes.count {
        case 4: self.bytes = bytes
        case 16: self.bytes = bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
        default: return nil
        }
    }

    /// - Parameter text: as inet_ntop(3) writes it.
    init?(text: String) {
        var bytes = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &bytes) == 1 {
            self.init(bytes: Array(bytes.prefix(4)))
        } else if inet_pton(AF_INET6, text, &bytes) == 1 {
            self.init(bytes: bytes)
        } else {
            return nil
        }
    }

    /// - Returns: nothing for a family other than IPv4 and IPv6.
    init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
        guard let start = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
        // `addr` is declared as a plain sockaddr and is longer for IPv6.
        let raw = UnsafeRawPointer(address) + start
        switch address.pointee.family {
        case AF_INET:
            let ipv4 = raw.loadUnaligned(as: sockaddr_in.self).sin_addr
            self.init(bytes: withUnsafeBytes(of: ipv4) { Array($0) })
        case AF_INET6:
            let ipv6 = raw.loadUnaligned(as: sockaddr_in6.self).sin6_addr
            self.init(bytes: withUnsafeBytes(of: ipv6) { Array($0) })
        default:
            return nil
        }
    }

    /// An address of this machine, its link or its network: loopback, link-local (RFC 3927; RFC 4291, section 2.5.6), private (RFC
    /// 1918, RFC 6598; RFC 4193) and unspecified ones.
    var isLocal: Bool {
        if isLoopback { return true }
        guard bytes.count == 4 else {
            return bytes[0] & 0xfe == 0xfc || bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80
                || bytes.allSatisfy { $0 == 0 }
        }
        switch (bytes[0], bytes[1]) {
        case (0, _), (10, _), (169, 254), (172, 16...31), (192, 168), (100, 64...127): return true
        default: return false
        }
    }

    /// 127.0.0.0/8 (RFC 1122, section 3.2.1.3) and ::1 (RFC 4291, section 2.5.3).
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}
