import Foundation
import LoginCore
import Secrets
import Testing

@testable import LoginStores

/// A session bus that another user listens on, as it is found after su(1) or sudo(8) with that user's environment.
@Suite(.enabled(if: Need.secretService && Need.root, "dbus-daemon is not installed, or this is not root"))
struct ForeignBusTests {
    private static let other: UInt32 = 65534
    private let folder = TemporaryFolder()

    private static func config(_ place: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(place)/bus</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow send_destination="*" eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>

        """
    }

    /// Runs `body` beside a bus of the other user, which lets root in.
    private func withBus(_ body: (_ address: String) throws -> Void) throws {
        let place = folder.parent + "/run"
        #expect(try Program.run(["install", "-d", "-m", "755", "-o", "\(Self.other)", place]).status == 0)
        #expect(chmod(folder.parent, 0o755) == 0)
        let config = folder.parent + "/bus.conf"
        try Data(Self.config(place).utf8).write(to: URL(fileURLWithPath: config))
        let (bus, _, _) = try Program.start([
            "setpriv", "--reuid=\(Self.other)", "--regid=\(Self.other)", "--clear-groups", "dbus-daemon",
            "--config-file=\(config)", "--nofork",
        ])
        defer {
            bus.terminate()
            bus.waitUntilExit()
        }
        let deadline = Date(timeIntervalSinceNow: 20)
        while !FileManager.default.fileExists(atPath: place + "/bus"), Date() < deadline { usleep(20_000) }
        try body("unix:path=\(place)/bus")
    }

    @Test func `D21: nothing is handed over there, and auto passes it over with a word`() throws {
        try withBus { address in
            let session = DesktopSession { $0 == "DBUS_SESSION_BUS_ADDRESS" ? address : nil }
            let fault = StoreFault.secretService(.foreignBus(owner: Self.other))
            let store = SecretServiceStore(session: session)
            #expect(throws: fault) { try store.save(Secret("x"), for: .some(), expires: nil) }
            #expect(throws: fault) { try store.find(.some()) }
            let shelf = StoreShelf(folder: folder.path, clock: .fixed, desktop: session) { () throws(StoreFault) in
                throw .passphraseCancelled
            }
            #expect(throws: fault) { try shelf.chooser().choose(.secretService) }
            var passed: [UnusableStore] = []
            do throws(StoreFault) {
                _ = try shelf.chooser().choose { passed.append($0) }
            } catch .noneWorks {
                // Where the kernel's keyring cannot be used either.
            }
            #expect(passed.first == UnusableStore(name: .secretService, fault: fault))
        }
    }
}
