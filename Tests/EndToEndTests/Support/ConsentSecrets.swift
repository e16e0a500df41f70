import Foundation
@testable import LoginTestSupport
import Testing

/// The demo's authorization server behind a relay that sees what no log may have, and the logins by consent that go through it.
final class ConsentSecrets {
    static let clientSecret = "50% off + tax & ünïcode"

    let demo: DemoBackendProcess
    let person: ScriptedPerson
    private let relay: RecordingRelay
    /// Addresses that were pasted.
    private var pasted: [String] = []

    init() throws {
        demo = try DemoBackendProcess()
        person = try ScriptedPerson()
        relay = try RecordingRelay(to: demo.port)
    }

    /// `notes`, `pad` and `tv` behind the relay, and `desk`, whose client has a secret that is asked for.
    func profiles() throws -> String {
        let origin = "http://127.0.0.1:\(relay.port)"
        return try demo.oauthProfiles().replacing(demo.origin, with: origin) + """

            [profiles.desk]
            url    = "\(origin)/notes"
            method = "oauth"
            oauth  = { issuer = "\(origin)/id", client-id = "desk:1", client-secret = "{secret:desk}", scope = "openid notes:read" }
            verify = { get = "/me", username = "/name" }
            """
    }

    /// What stands on a terminal to be opened.
    func url(on run: TerminalRun, _ part: String = "/authorize?") throws -> String {
        try run.pty.wait(for: part)
        try run.pty.wait(for: "\n")
        let urls = run.pty.text.split(whereSeparator: \.isWhitespace).filter {
            $0.hasPrefix("http") && $0.contains(part)
        }
        return String(try #require(urls.first))
    }

    /// Pastes the address of another login, and then the right one.
    /// - Parameter watched: is called before the right one.
    func paste(into run: TerminalRun, watched: () throws -> Void = {}) throws {
        let address = try person.consent(at: url(on: run), stays: true).address
        let wrong = address.replacing("state=", with: "state=x")
        pasted += [address, wrong]
        run.pty.type(wrong + "\r")
        try run.pty.wait(for: "it has another state")
        try watched()
        run.pty.type(address + "\r")
    }

    /// All that has to stay secret, as far as it has come up.
    /// - Parameter withState: a browser is started with the URL, and so with the state in it.
    func sweep(withState: Bool) throws -> LeakSweep {
        let names = ["code", "code_verifier", "device_code", "access_token", "refresh_token", "id_token"]
        let found = names.map { (name: $0, values: relay.values(of: $0)) }
        for (name, values) in found { #expect(!values.isEmpty, "no \(name) came up") }
        let states = withState ? relay.values(of: "state") : []
        #expect(!withState || !states.isEmpty)
        return try LeakSweep(secrets: found.flatMap(\.values) + pasted + states + [Self.clientSecret])
    }
}
