@testable import LoginKit
import Secrets

// Keepers and logins for the tests of the keeper.
extension StoreKeeperTests {
    func keeper(
        _ username: String? = nil, profile: String = "work", origin: Origin = .example,
        persistence: Persistence = .permanent, keepsPassword: Bool = false, name: StoreName = .plaintext
    ) -> StoreKeeper {
        let stores = Stores(folder: folder.path, clock: .fixed) { () throws(StoreFault) in Secret("correct horse")
        }
        return StoreKeeper(
            subject: .init(profile: profile, url: "https://probe.example", origin: origin, username: username),
            rules: .init(persistence: persistence, keepsPassword: keepsPassword), registry: registry,
            chooseStore: { () throws(StoreFault) in try stores.open(name) },
            openStore: { (name) throws(StoreFault) in try stores.open(name) },
            clock: .fixed)
    }

    var alice: Credential { Credential(username: "alice", .password(Secret("pass"))) }

    func basic(_ username: String = "alice", _ password: String = "pass") -> Login {
        let credential = Credential(username: username, .password(Secret(password)))
        return Login(identity: Identity(username: username, serverName: nil), session: .credential(credential))
    }

    func token(_ value: String = "t1", expires: Int64? = nil) -> Login {
        Login(
            identity: Identity(username: "alice", serverName: "Alice A."),
            session: .token(Token(value: Secret(value), refreshToken: nil, expires: expires)), credential: alice)
    }
}
