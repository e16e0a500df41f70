import ArgumentParser
import LoginCore

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
}
