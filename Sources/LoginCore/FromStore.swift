/// A store's fault as the fault of a login.
public func fromStore<Result>(_ body: @autoclosure () throws(StoreFault) -> Result) throws(LoginError) -> Result {
    do throws(StoreFault) {
        return try body()
    } catch {
        throw .store(error)
    }
}
