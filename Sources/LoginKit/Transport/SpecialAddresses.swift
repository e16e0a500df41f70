/// IANA's special-purpose address registries for IPv4 and IPv6 (RFC 6890, RFC 8190), and what is no unicast address besides.
enum SpecialAddresses {
    /// The networks from which an address can be reached.
    enum Reach: Equatable {
        /// 'Globally reachable: true', within a block that is not.
        case global
        /// 'Globally reachable: false', or not said.
        case notGlobal
        /// The IPv4 address from this byte on decides.
        case embedded(Int)
    }

    /// Addresses that begin with the same bits.
    struct Block {
        let start: [UInt8]
        let bits: Int
        let reach: Reach

        /// - Parameter text: `ADDRESS/BITS` (RFC 4632, section 3.1; RFC 4291, section 2.3).
        init?(_ text: String, _ reach: Reach) {
            let parts = text.split(separator: "/")
            guard parts.count == 2, let bits = Int(parts[1]), let address = PeerAddress(text: String(parts[0])) else {
                return nil
            }
            (self.start, self.bits, self.reach) = (address.bytes, bits, reach)
        }

        func holds(_ address: [UInt8]) -> Bool {
            guard address.count == start.count else { return false }
            return zip(address, start).enumerated().allSatisfy { index, pair in
                let known = min(8, max(0, bits - 8 * index))
                return known == 0 || (pair.0 ^ pair.1) >> (8 - known) == 0
            }
        }
    }

    /// The smallest block of the table that holds the address.
    /// - Returns: `nil` for an address without a special purpose.
    static func block(of address: [UInt8]) -> Block? {
        blocks.filter { $0.holds(address) }.max { $0.bits < $1.bits }
    }

    /// As the registries had them in October 2025. ::ffff:0:0/96 is missing: `PeerAddress` takes those for what they stand for.
    static let table: [(block: String, reach: Reach)] =
        [
            "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24", "192.88.99.2/32", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
            "240.0.0.0/4", "255.255.255.255/32", "::/128", "::1/128", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64",
            "2001::/23", "2001:2::/48", "2001:db8::/32", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10",
            // Multicast (RFC 5771; RFC 4291, section 2.7), site-local (RFC 3879) and IPv4-compatible addresses (RFC 4291, section
            // 2.5.5.1), and those that translators make of IPv4 (RFC 2765).
            "224.0.0.0/4", "ff00::/8", "fec0::/10", "::/96", "::ffff:0:0:0/96",
        ].map { ($0, .notGlobal) }
        + [
            "192.0.0.9/32", "192.0.0.10/32", "192.31.196.0/24", "192.52.193.0/24", "192.175.48.0/24", "2001:1::1/128",
            "2001:1::2/128", "2001:1::3/128", "2001:3::/32", "2001:4:112::/48", "2001:20::/28", "2001:30::/28",
            "2620:4f:8000::/48",
        ].map { ($0, .global) }
        // RFC 6052, section 2.2; RFC 3056, section 2.
        + [("64:ff9b::/96", .embedded(12)), ("2002::/16", .embedded(2))]

    private static let blocks = table.compactMap { Block($0.block, $0.reach) }
}
