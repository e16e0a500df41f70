/// The services that send the requests of one session side by side. Each is used by one call at a time; its connections are kept for
/// the next.
final class ServedServices<Call: Sendable>: @unchecked Sendable {
    /// Changed only while no transfer runs.
    fileprivate final class User: @unchecked Sendable {
        var call: Call?
    }

    /// A service, and the request that has it now.
    struct Place: @unchecked Sendable {
        let service: Service
        fileprivate let user: User
    }

    private let isOver: @Sendable (Call) -> Bool
    private let monitor = Monitor()
    private var idle: [Place] = []
    /// The largest number of idle ones that are kept.
    private static var mostIdle: Int { 16 }

    /// - Parameter isOver: whether nobody waits for a request any more.
    init(isOver: @escaping @Sendable (Call) -> Bool) {
        self.isOver = isOver
    }

    func place(for call: Call, of session: ServedSession) throws(LoginFault) -> Place {
        let idle = monitor.locked { self.idle.popLast() }, user = idle?.user ?? User()
        user.call = call
        if let idle { return idle }
        return Place(
            service: try session.serviceBeside { [isOver] in user.call.map(isOver) ?? false }, user: user)
    }

    func giveBack(_ place: Place) {
        place.user.call = nil
        monitor.locked { if idle.count < Self.mostIdle { idle.append(place) } }
    }

    /// Closes the connections that nobody uses.
    func close() { monitor.locked { idle = [] } }
}
