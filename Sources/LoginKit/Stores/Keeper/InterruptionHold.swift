/// Postpones what would end the program or cancel the call, as long as the object lives.
package final class InterruptionHold {
    private let end: () -> Void

    init(begin: () -> Void, end: @escaping () -> Void) {
        self.end = end
        begin()
    }

    deinit { end() }
}
