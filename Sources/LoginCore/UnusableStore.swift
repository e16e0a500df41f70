/// A store that was tried, and why it cannot be used.
public struct UnusableStore: Equatable, Sendable {
    /// The store that was tried.
    public let name: StoreName
    /// Why it cannot be used.
    public let fault: StoreFault

    /// One of the reasons of `noneWorks`.
    public init(name: StoreName, fault: StoreFault) {
        self.name = name
        self.fault = fault
    }
}
