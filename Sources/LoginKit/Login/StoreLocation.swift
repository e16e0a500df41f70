import LoginCore
import Secrets

extension Dependencies {
    /// Where the stores are, and how they are reached.
    package struct StoreLocation {
        let stateFolder: String
        /// The time for which the key of the encrypted file is held, in seconds; `nil` for not at all.
        var holding: Int?
        var desktop = DesktopSession.absent
        /// How the stores are reached that other machines have, too.
        var shared: SharedStores.Settings?
        /// Another passphrase of the encrypted file after so many wrong ones; `nil` if there is none.
        var anotherPassphrase: (_ failures: Int) throws(StoreFault) -> Secret? = { _ in nil }
        /// Is told when the work begins that turns a passphrase into a key, and when it is done.
        var deriving: (_ isUnderWay: Bool) -> Void = { _ in }

        package init(stateFolder: String) {
            self.stateFolder = stateFolder
        }
    }
}
