import Glibc
import LoginCore
import Secrets

/// The program behind a store, found in `PATH` and run for one request.
struct HelperProgram {
    let store: StoreName
    let environment: ProgramEnvironment
    /// In seconds.
    let patience: Int

    /// - Returns: its answer, whatever its status is.
    /// - Throws: `helper` or `timedOut` where there is none.
    func run(_ method: String, _ input: Secret) throws(StoreFault) -> HelperCall.Answer {
        let path: String
        do throws(HelperFault) {
            path = try HelperSearch(environment: environment).path(of: store)
        } catch {
            throw .helper(store, error)
        }
        do throws(HelperCall.Failure) {
            return try HelperCall(path: path, environment: environment, patience: patience).run(method, input: input)
        } catch {
            switch error {
            case .notStarted(let errno): throw .helper(store, .notStarted(path: path, errno: errno))
            case .tookTooLong: throw .timedOut(store, seconds: patience)
            case .tooMuch: throw .helper(store, .tooMuch(method: method, limit: HelperCall.limit))
            case .interrupted: throw .system(call: "wait", path: path, errno: EINTR)
            case .system(let call, let errno): throw .system(call: call, path: path, errno: errno)
            }
        }
    }
}
