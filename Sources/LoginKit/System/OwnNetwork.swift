import CProcess
import Glibc

/// A network of a program's own, in which nothing is but sockets that this process serves from outside (namespaces(7)).
package final class OwnNetwork {
    /// The address that it has beside 127.0.0.1: one for tests of networks (RFC 2544), which no host on the Internet has.
    static let address = "198.18.0.1"

    /// The sockets, which never block, in the order of their places. Whoever serves them closes them.
    let sockets: [Int32]
    /// Files that the program finds at the places of others.
    var covers: [(file: String, place: String)] = []
    private let namespaces: (user: Int32, net: Int32)

    /// Makes one; to be called before there is any secret outside of guarded memory, see network.c.
    /// - Parameter places: where its sockets listen, at most eight; the first one at `address`.
    /// - Throws: `usage` with the reason if the system does not let it.
    init(_ places: [(address: String, port: Int, isStream: Bool)]) throws(LoginFault) {
        var sockets = places.map { place in
            cprocess_socket(
                address: inet_addr(place.address), port: UInt16(place.port),
                type: Int32(place.isStream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue), descriptor: -1)
        }
        var network = cprocess_network(), call = [CChar](repeating: 0, count: 80)
        let problem = cprocess_make_network(&sockets, sockets.count, &network, &call, call.count)
        guard problem == 0 else {
            let failed = String(decoding: call.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let reason = Self.setting.map { " (\($0))" } ?? ""
            throw .usage(
                "--own-network does not work here: \(failed): \(String(cString: strerror(problem)))\(reason)",
                next: "allow user namespaces on this system, or leave --own-network out")
        }
        self.sockets = sockets.map(\.descriptor)
        namespaces = (network.user, network.net)
    }

    deinit {
        close(namespaces.user)
        close(namespaces.net)
    }

    /// The setting by which this system forbids it, if it has one.
    private static var setting: String? {
        let forbidding = [
            ("kernel.apparmor_restrict_unprivileged_userns", "1"), ("kernel.unprivileged_userns_clone", "0"),
            ("user.max_user_namespaces", "0"), ("user.max_net_namespaces", "0"), ("user.max_mnt_namespaces", "0"),
        ]
        return forbidding.first { name, value in
            systemText(of: "/proc/sys/\(name.replacing(".", with: "/"))") == value + "\n"
        }.map { "\($0.0) is \($0.1)" }
    }

    func withC<Result>(_ body: (UnsafePointer<cprocess_network>) -> Result) -> Result {
        withCStrings(covers.flatMap { [Array($0.file.utf8CString), Array($0.place.utf8CString)] }) { texts in
            let covers = covers.indices.map { cprocess_cover(file: texts[2 * $0], place: texts[2 * $0 + 1]) }
            return covers.withUnsafeBufferPointer { covers in
                var network = cprocess_network()
                (network.user, network.net) = (namespaces.user, namespaces.net)
                (network.covers, network.cover_count) = (covers.baseAddress, covers.count)
                return body(&network)
            }
        }
    }
}
