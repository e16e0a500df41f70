import ArgumentParser
import LoginCore
import LoginStores

extension CompletionKind {
    /// The names of the profiles, for a shell; none where the configuration cannot be read.
    static var profiles: CompletionKind {
        .custom { _, _, _ in
            do throws(UsageFault) {
                return try ProfileBook(try Paths(.taken(), config: nil)).names
            } catch {
                return []
            }
        }
    }

    /// The names of the stores that may be chosen, with the helpers that are in `PATH`.
    static var stores: CompletionKind {
        .custom { _, _, _ in
            let helpers = World.real().shelf(
                World.ShelfPlace(stateFolder: ""), { () throws(StoreFault) in throw .passphraseCancelled }
            ).helpers()
            return ["auto"] + (StoreName.builtIn + helpers).map(\.description)
        }
    }

    /// The names of those that keep something.
    static var keepingStores: CompletionKind {
        .list(StoreName.builtIn.filter(\.keepsLogins).map(\.description) + ["helper:"])
    }
}
