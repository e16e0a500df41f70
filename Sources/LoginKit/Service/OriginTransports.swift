/// The ways to other origins than the profile's, each made when it is first needed: a login may talk to two.
///
/// Not `Sendable`: one thread uses it.
final class OriginTransports {
    private let make: (Place) throws(LoginFault) -> any Transport
    private var made: [Place: any Transport] = [:]
    private var accepted: [Origin: TrustedCertificate] = [:]

    /// An origin and the limits of a request to it: one request may go to a local address, the next one may not.
    struct Place: Hashable {
        let origin: Origin
        let mayBeLocal: Bool
        /// Whether its name need not resolve here, behind a proxy: the person chose the issuer.
        let mayBeUnseen: Bool
        /// Whether the proxies of the environment are not for it.
        let takesNamedProxyAlone: Bool
    }

    /// - Parameter make: makes the transport to one origin, as the profile has it, but without its client certificate.
    init(_ make: @escaping (Place) throws(LoginFault) -> any Transport) {
        self.make = make
    }

    /// None: whatever leads to another origin is refused.
    convenience init() {
        self.init { (place) throws(LoginFault) in
            throw .untrusted(.otherOrigin(target: place.origin.description))
        }
    }

    /// - Parameter mayBeLocal: whether it may be on this machine or in its network.
    func transport(
        to origin: Origin, mayBeLocal: Bool, mayBeUnseen: Bool = false, takesNamedProxyAlone: Bool = false
    ) throws(LoginFault) -> any Transport {
        let place = Place(
            origin: origin, mayBeLocal: mayBeLocal, mayBeUnseen: mayBeUnseen, takesNamedProxyAlone: takesNamedProxyAlone
        )
        if let transport = made[place] { return transport }
        let transport = try make(place)
        if let exception = accepted[origin] { transport.trust(exception) }
        made[place] = transport
        return transport
    }

    /// Whether the server of an origin was found on this machine or in its network.
    func reachedLocal(_ origin: Origin) -> Bool { made.contains { $0.key.origin == origin && $0.value.reachedLocal } }

    /// From now on the certificate of the exception's origin is good where the exception covers it.
    func trust(_ exception: TrustedCertificate) {
        accepted[exception.origin] = exception
        for (place, transport) in made where place.origin == exception.origin { transport.trust(exception) }
    }
}
