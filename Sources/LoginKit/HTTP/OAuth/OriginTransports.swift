import LoginCore

/// The ways to other origins than the profile's, each made when it is first needed: a login may talk to two.
///
/// Not `Sendable`: one thread uses it.
package final class OriginTransports {
    private let make: (_ origin: Origin, _ mayBeLocal: Bool) throws(LoginFault) -> any Transport
    private var made: [Place: any Transport] = [:]
    private var accepted: [Origin: TrustedCertificate] = [:]

    /// What is allowed to be on this machine or in its network for one request is not for the next one.
    private struct Place: Hashable {
        let origin: Origin
        let mayBeLocal: Bool
    }

    /// - Parameter make: a way to one origin, as the profile has it, but without its client certificate.
    init(_ make: @escaping (_ origin: Origin, _ mayBeLocal: Bool) throws(LoginFault) -> any Transport) {
        self.make = make
    }

    /// None: whatever leads to another origin is refused.
    convenience init() {
        self.init { (origin, _) throws(LoginFault) in throw .untrusted(.otherOrigin(target: origin.description)) }
    }

    /// - Parameter mayBeLocal: whether it may be on this machine or in its network.
    func transport(to origin: Origin, mayBeLocal: Bool) throws(LoginFault) -> any Transport {
        let place = Place(origin: origin, mayBeLocal: mayBeLocal)
        if let transport = made[place] { return transport }
        let transport = try make(origin, mayBeLocal)
        if let exception = accepted[origin] { transport.trust(exception) }
        made[place] = transport
        return transport
    }

    /// From now on the certificate of the exception's origin is good where the exception covers it.
    func trust(_ exception: TrustedCertificate) {
        accepted[exception.origin] = exception
        for (place, transport) in made where place.origin == exception.origin { transport.trust(exception) }
    }
}
