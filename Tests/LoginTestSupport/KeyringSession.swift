import Foundation

/// A desktop session without a desktop: a private bus with a Secret Service on it, for as long as this object lives.
///
/// The service is GNOME's, unlocked, with everything in a folder of its own; or `FakeSecretService` for what GNOME's cannot
/// be made to do; or none.
final class KeyringSession {
    enum Service: Equatable { case gnome, none, fake(FakeSecretService.Behaviour) }

    private let server: ServerProcess
    private var folder: String { server.folder.path }

    init(_ service: Service = .gnome) throws {
        server = try ServerProcess()
        for name in ["home", "run", "data", "config", "state"] {
            let path = folder + "/" + name
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        }
        try Data(Self.bus(folder).utf8).write(to: server.folder.appendingPathComponent("bus.conf"))
        try FileManager.default.copyItem(
            atPath: Repository.testServer("fake_secret_service.py"), toPath: server.folder.path + "/fake.py")
        let variables = environment.map { "\($0.key)=\($0.value)" }
        try server.start(
            "/usr/bin/env", variables + ["/bin/sh", "-c", Self.guardian, "sh", folder, Self.command(service)])
        switch service {
        case .none: try wait(for: "the bus", "org.freedesktop.DBus.ListNames", on: "DBus")
        case .gnome: try wait(for: "GNOME Keyring", "org.freedesktop.Secret.Service.ReadAlias", "string:default")
        case .fake: try wait(for: "the service", "org.freedesktop.Secret.Service.ReadAlias", "string:ready")
        }
    }

    /// What a program of this session runs with.
    var environment: [String: String] {
        [
            "HOME": folder + "/home", "XDG_RUNTIME_DIR": folder + "/run", "XDG_DATA_HOME": folder + "/data",
            "XDG_CONFIG_HOME": folder + "/config", "XDG_STATE_HOME": folder + "/state", "LC_ALL": "C.UTF-8",
            "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus", "PATH": "/usr/bin:/bin:/usr/sbin",
        ]
    }

    /// What leads another program to this session's service.
    var address: [String: String] { ["DBUS_SESSION_BUS_ADDRESS": "unix:path=\(folder)/bus"] }

    /// Locks what things are kept in unless said otherwise.
    func lock() throws {
        try call("org.freedesktop.Secret.Service.Lock", "array:objpath:/org/freedesktop/secrets/collection/login")
    }

    /// Sends the service a signal.
    func signal(_ number: Int32) throws { kill(try service(), number) }

    /// The process number of the service.
    func service() throws -> Int32 {
        let text = server.text("service.pid").trimmingCharacters(in: .whitespacesAndNewlines)
        guard let pid = Int32(text) else { throw ServerProcess.NotStarted(description: "no service: \(text)") }
        return pid
    }

    /// Runs a program of this session, such as `secret-tool`.
    @discardableResult
    func tool(_ program: String, _ arguments: String..., input: String = "") throws -> CommandResult {
        guard let path = RealServer.path(of: program) else { throw POSIXError(.ENOENT) }
        return try Command.run(
            ChildSpec(path, arguments, environment: environment), input: Array(input.utf8), within: 120)
    }

    private func call(_ method: String, _ arguments: String..., on object: String = "secrets") throws {
        let result = try send(method, arguments, on: object)
        guard result.ending == .exited(0) else {
            throw ServerProcess.NotStarted(description: "\(method): \(result.error)")
        }
    }

    private func send(_ method: String, _ arguments: [String], on object: String) throws -> CommandResult {
        guard let program = RealServer.path(of: "dbus-send") else { throw POSIXError(.ENOENT) }
        let words = [
            "--session", "--print-reply", "--dest=org.freedesktop.\(object)", "/org/freedesktop/\(object)", method,
        ]
        return try Command.run(ChildSpec(program, words + arguments, environment: environment), within: 120)
    }

    private func wait(for what: String, _ method: String, _ arguments: String..., on object: String = "secrets") throws
    {
        try server.wait(for: what) {
            let answer = try send(method, arguments, on: object)
            return answer.ending == .exited(0) && !answer.output.contains("\"/\"") ? () : nil
        }
    }

    private static func command(_ service: Service) -> String {
        switch service {
        case .gnome: "exec gnome-keyring-daemon --unlock --components=secrets --foreground"
        case .fake(let behaviour): "exec /usr/bin/python3 fake.py \(behaviour.rawValue)"
        case .none: "exec sleep 3600"
        }
    }

    /// Ends everything, a stopped service too, when its stdin ends; the folder goes with it.
    private static let guardian = """
        cd "$1" || exit 1
        dbus-daemon --config-file="$1/bus.conf" --nofork </dev/null & bus=$!
        while [ ! -S "$1/bus" ] && kill -0 $bus; do sleep 0.02; done
        printf %s password | sh -c "$2" >/dev/null & service=$!
        echo $service >"$1/service.pid"
        cat >/dev/null
        kill -KILL $service; kill $bus; wait
        rm -rf "$1"
        """

    private static func bus(_ folder: String) -> String {
        """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <type>session</type>
          <listen>unix:path=\(folder)/bus</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow send_destination="*" eavesdrop="true"/>
            <allow eavesdrop="true"/>
            <allow own="*"/>
          </policy>
        </busconfig>

        """
    }
}
