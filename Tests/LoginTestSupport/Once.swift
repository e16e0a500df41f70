import Synchronization

/// A value that is made when it is first needed, by whichever test needs it first. What stands among the arguments of a test is made
/// before any test runs, on one core.
final class Once<Value: Sendable>: Sendable {
    private let made = Mutex<Value?>(nil)
    private let make: @Sendable () -> Value

    init(_ make: @escaping @Sendable () -> Value) { self.make = make }

    var value: Value {
        made.withLock { made in
            let value = made ?? make()
            made = value
            return value
        }
    }
}
