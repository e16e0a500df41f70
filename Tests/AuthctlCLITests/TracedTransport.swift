@testable import LoginKit
@testable import LoginTestSupport
import Secrets

/// A scripted server whose requests and answers are traced as the real transport does it.
struct TracedTransport: Transport {
    let server: ScriptedTransport
    let settings: TransportSettings

    func send(_ request: HTTPRequest) throws(LoginFault) -> HTTPResponse {
        let trace = TransferTrace(settings: settings)
        let parser = try URLParser()
        do throws(UsageFault) {
            trace.show(request, try parser.parse(request.url))
        } catch {
            throw .usage(error)
        }
        let response = try server.send(request)
        trace.show(response, cookies: Set(response.cookies.map(\.name)), to: request)
        return response
    }

    func trust(_ exception: TrustedCertificate) { server.trust(exception) }
}
