import CSodium

extension Secret {
    /// So many bytes of the system's randomness (getrandom(2)).
    package static func random(count: Int) -> Secret {
        Secret(count: count) { buffer in
            if let start = buffer.baseAddress { csodium_random(start, buffer.count) }
        }
    }
}
