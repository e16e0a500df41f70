/// A store's fault as the fault of a login.
package func fromStore<Result>(_ body: @autoclosure () throws(StoreFault) -> Result) throws(LoginFault) -> Result {
    do throws(StoreFault) {
        return try body()
    } catch {
        throw .store(error)
    }
}
