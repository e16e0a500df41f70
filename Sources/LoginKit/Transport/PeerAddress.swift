import CCurl
import Glibc
import LoginCore

extension PeerAddress {
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
}
