import Glibc
import Secrets

/// The environment variables that authctl obeys.
package struct Environment: Sendable {
    /// By name; without the password, which is never a `String`.
    private let values: [String: String]
    /// `AUTHCTL_PASSWORD`.
    let password: Secret?
    /// `AUTHCTL_OTP`.
    let code: Secret?
    /// Whether others than those that authctl knows may be looked up.
    private let isOfProcess: Bool
    /// The variables whose values are not UTF-8.
    private let unreadable: Set<String>

    /// The variables that give a login its secrets; removed from the environment of every program that authctl starts.
    private static let supplied = ProgramEnvironment.withheld
    private static let others = [
        "AUTHCTL_CONFIG", "AUTHCTL_PROFILE", "AUTHCTL_VERIFY_URL", "AUTHCTL_METHOD", "AUTHCTL_STORE",
        "AUTHCTL_PERSIST", "AUTHCTL_PROXY", "AUTHCTL_CA_FILE", "AUTHCTL_NO_PROMPT", "AUTHCTL_MASK", "AUTHCTL_EXEC",
        "AUTHCTL_EPHEMERAL", "HOME",
        "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_DIRS", "NO_COLOR", "TERM", "DBUS_SESSION_BUS_ADDRESS",
        "XDG_RUNTIME_DIR",
        "DISPLAY", "WAYLAND_DISPLAY",
    ]

    private static let proxyVariables = [
        "http_proxy", "https_proxy", "all_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY",
    ]

    init(
        _ values: [String: String], password: Secret? = nil, code: Secret? = nil, unreadable: Set<String> = [],
        isOfProcess: Bool = false
    ) {
        self.values = values
        self.isOfProcess = isOfProcess
        self.unreadable = unreadable
        self.password = password
        self.code = code
    }

    /// Reads the process's own environment, and takes out of it what children must not see.
    static func taken() -> Environment {
        let environment = present()
        for name in ["AUTHCTL_PASSWORD", "AUTHCTL_OTP"] {
            if let text = getenv(name) { explicit_bzero(text, strlen(text)) }
        }
        for name in supplied { unsetenv(name) }
        return environment
    }

    /// Reads the process's own environment without changing it.
    static func present() -> Environment {
        var values: [String: String] = [:], unreadable: Set<String> = []
        for names in [supplied, others, proxyVariables] {
            for name in names where name != "AUTHCTL_PASSWORD" && name != "AUTHCTL_OTP" {
                guard let text = getenv(name) else { continue }
                values[name] = String(cString: text)
                if String(validatingCString: text) == nil { unreadable.insert(name) }
            }
        }
        return Environment(
            values, password: secret("AUTHCTL_PASSWORD"), code: secret("AUTHCTL_OTP"), unreadable: unreadable,
            isOfProcess: true)
    }

    private static func secret(_ name: String) -> Secret? {
        getenv(name).map { text in Secret(copying: UnsafeRawBufferPointer(start: text, count: strlen(text))) }
    }

    /// Refuses variables whose values would become other paths or names: secrets would be kept elsewhere.
    func checkUTF8() throws(UsageFault) {
        let names = unreadable.filter { $0 == "HOME" || $0.hasPrefix("XDG_") || $0.hasPrefix("AUTHCTL_") }
        guard let name = names.min() else { return }
        throw .other("the value of \(name) is not UTF-8; set \(name) to one that is")
    }

    /// - Returns: `nil` if the variable is not set or empty.
    package subscript(name: String) -> String? {
        values[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A variable that a profile names; `nil` if it is not set or empty.
    package func secret(named name: String) -> Secret? {
        let secret = values[name].map { Secret($0) } ?? (isOfProcess ? Self.secret(name) : nil)
        return secret.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The variables that name proxies, for `--proxy environment`.
    var proxies: [String: String] { values.filter { Self.proxyVariables.contains($0.key) } }

    /// Whether a terminal may have a line that changes.
    package var allowsMovement: Bool { self["NO_COLOR"] == nil && self["TERM"] != "dumb" }

    /// Whether the terminal has colours and NO_COLOR is not set (no-color.org).
    package var hasColors: Bool { allowsMovement && self["TERM"] != nil }

    /// `AUTHCTL_MASK`; empty for no marks at all.
    var mask: String { values["AUTHCTL_MASK"] ?? "*" }
}
