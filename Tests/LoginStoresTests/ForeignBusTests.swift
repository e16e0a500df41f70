import Foundation
@testable import LoginKit
import Secrets
import Testing

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
            <allow eavesdrop="true"/>
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
            // It has the blocked signals of the thread that started it.
            kill(bus.processIdentifier, SIGKILL)
            bus.waitUntilExit()
        }
        let deadline = Date(timeIntervalSinceNow: 20)
        while !FileManager.default.fileExists(atPath: place + "/bus"), Date() < deadline { usleep(20_000) }
        try body("unix:path=\(place)/bus")
    }

    /// In another process: each has one session bus for all of its life.
    private func probe(_ method: String, _ store: String, _ address: String) throws -> Finished {
        try Program.run(
            [
                "DBUS_SESSION_BUS_ADDRESS=\(address)", Program.probe, method, store, folder.path, "work", "alice",
                "s3cret",
            ])
    }

    @Test func `nothing is handed over there, and auto passes it over with a word`() throws {
        try withBus { address in
            let fault = "foreignBus(owner: Optional(\(Self.other)))"
            for method in ["save", "find", "test"] {
                let ended = try probe(method, "secret-service", address)
                #expect(ended.status == 8 && ended.errors.contains(fault), "\(method): \(ended.errors)")
            }
            let chosen = try probe("choose", "secret-service", address)
            #expect(chosen.errors.contains("was skipped") && chosen.errors.contains(fault), "\(chosen.errors)")
        }
    }
}
