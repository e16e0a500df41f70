/// Faults by chance, for a soak: so many answers in a hundred go wrong, in one of six ways. The chance is counted from a
/// seed, so that the same requests in the same order meet the same faults.
struct Mishaps: Decodable, Sendable {
    enum Kind: CaseIterable {
        /// The connection closes without an answer.
        case reset
        case error
        case busy
        case slow
        /// The connection closes in the middle of the answer.
        case cutShort
        /// The access token of the request is over before its time; a refresh would do.
        case expired
    }

    /// One answer in so many; 0 for none.
    let every: UInt64
    private var seed: UInt64
    /// The request whose answers are never lost, since its effect could not be had again; it fails before it does anything.
    private let spared: String?
    /// Access tokens that are younger, in seconds, are not over.
    let youngest: Double

    private enum CodingKeys: String, CodingKey {
        case every, seed, spared, youngest
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        every = try container.decode(UInt64.self, forKey: .every)
        seed = try container.decodeIfPresent(UInt64.self, forKey: .seed) ?? 1
        spared = try container.decodeIfPresent(String.self, forKey: .spared)
        youngest = try container.decodeIfPresent(Double.self, forKey: .youngest) ?? 1
    }

    init(every: UInt64) {
        (self.every, seed, spared, youngest) = (every, 1, nil, 1)
    }

    /// What befalls this request, if anything does.
    mutating func next(for call: Call) -> Kind? {
        guard every > 0, random() % every == 0 else { return nil }
        let kind = Kind.allCases[Int(random() % UInt64(Kind.allCases.count))]
        switch kind {
        case .reset, .cutShort: return call.path == spared ? .error : kind
        case .expired: return call.bearer == nil ? .error : kind
        case .error, .busy, .slow: return kind
        }
    }

    /// SplitMix64, which is enough to spread the faults.
    private mutating func random() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var mixed = seed
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension Mishaps.Kind {
    /// As an order for the one request; nothing where the service itself makes it come true.
    var fault: Fault? {
        switch self {
        case .reset: Fault(reset: true)
        case .error: Fault(status: 500)
        case .busy: Fault(status: 429, retryAfter: 1)
        case .slow: Fault(delay: 0.3)
        case .cutShort: Fault(cutShort: true)
        case .expired: nil
        }
    }
}
