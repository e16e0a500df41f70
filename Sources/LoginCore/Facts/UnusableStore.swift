/// A store that was tried, and why it cannot be used.
package struct UnusableStore: Equatable, Sendable {
    /// The store that was tried.
    package let name: StoreName
    /// The fault.
    package let fault: StoreFault

    /// One of the reasons of `noneWorks`.
    package init(name: StoreName, fault: StoreFault) {
        self.name = name
        self.fault = fault
    }
}
