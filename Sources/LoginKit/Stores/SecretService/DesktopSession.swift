import Glibc
import LoginCore

/// The connection to the Secret Service, and who may be asked to unlock it.
struct DesktopSession {
    /// Whether the service may ask a person, by a dialogue of its own.
    enum Unlocking {
        /// Leaves locked what is locked.
        case never
        /// For so many seconds; `notice` is called before the dialogue appears.
        case asking(seconds: Int, notice: () -> Void)
    }

    let unlocking: Unlocking
    private let variable: (String) -> String?

    /// - Parameters:
    ///   - variable: the environment; a variable that is empty counts as one that is not set.
    ///   - unlocking: has no effect where there is no display to show a dialogue on.
    init(unlocking: Unlocking = .never, variable: @escaping (String) -> String?) {
        self.variable = variable
        let hasDisplay = variable("WAYLAND_DISPLAY") != nil || variable("DISPLAY") != nil
        self.unlocking = hasDisplay ? unlocking : .never
    }

    /// No desktop at all.
    static var absent: DesktopSession { DesktopSession { _ in nil } }

    /// Where the session bus is, as `DBUS_SESSION_BUS_ADDRESS` has it; otherwise the user's bus of systemd.
    ///
    /// An address that has a program started ('autolaunch:', 'unixexec:') does not count: a login that begins a desktop
    /// session finds nothing in it. See the D-Bus specification, "Server addresses".
    /// - Throws: for the folder of another user.
    func busAddress() throws(SecretServiceFault) -> String? {
        if let supplied = variable("DBUS_SESSION_BUS_ADDRESS") {
            let addresses = supplied.split(separator: ";").filter { address in
                !["autolaunch:", "unixexec:"].contains { address.hasPrefix($0) }
            }
            return addresses.isEmpty ? nil : addresses.joined(separator: ";")
        }
        guard let folder = variable("XDG_RUNTIME_DIR"), access(folder + "/bus", F_OK) == 0 else { return nil }
        // It belongs to the user whose it is (XDG Base Directory Specification); `su` leaves that of another in place.
        var status = stat()
        guard stat(folder, &status) == 0 else { return nil }
        guard status.st_uid == geteuid() else { throw .foreignBus(owner: status.st_uid) }
        return "unix:path=" + Self.escape(folder + "/bus")
    }

    private static func escape(_ path: String) -> String {
        let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_/.\\*".utf8)
        return Hexadecimal.percentEncoded(path.utf8, where: plain.contains)
    }
}
