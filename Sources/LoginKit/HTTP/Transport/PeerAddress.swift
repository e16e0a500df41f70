import CCurl
import Glibc

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

    /// - Returns: `nil` for a family other than IPv4 and IPv6.
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

    /// Whether it may be an address of this machine, its link or its network: it is no unicast address of the whole Internet.
    var isLocal: Bool {
        guard let special = SpecialAddresses.block(of: bytes) else { return false }
        switch special.reach {
        case .global: return false
        case .notGlobal: return true
        case .embedded(let offset): return PeerAddress(bytes: Array(bytes[offset..<offset + 4]))?.isLocal ?? true
        }
    }

    /// 127.0.0.0/8 (RFC 1122, section 3.2.1.3) and ::1 (RFC 4291, section 2.5.3).
    var isLoopback: Bool {
        bytes.count == 4 ? bytes[0] == 127 : bytes == [UInt8](repeating: 0, count: 15) + [1]
    }
}
