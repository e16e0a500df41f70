import Foundation
@testable import LoginKit
@testable import LoginTestSupport
import Testing

/// The reader of requests to an endpoint of GraphQL, beside graphql-core from PyPI and every reading of JSON that there is among parsers.
@Suite(.onOwnThreads, RealServer.requirePackage("graphql")) struct `The reader of GraphQL beside graphql-core` {
    /// A line of graphql_requests.py.
    private struct Sample: Decodable {
        let body: Data?, url: String?
        /// What some service could execute.
        let may: [String]
        /// What every service executes, where that is clear.
        let must: [String]?

        var text: String { url ?? String(decoding: body ?? Data(), as: UTF8.self) }

        /// `nil` if it is refused.
        func acts() -> Set<String>? {
            let request =
                if let url { try? GraphQLRequest(parameters: url.utf8) } else {
                    try? GraphQLRequest(body: Array(body ?? Data()))
                }
            return request.map { Set($0.acts.map { "\($0.method.dropFirst(8)) \($0.path.text)" }) }
        }
    }

    private static let count = Thoroughness.choose(usual: 1000, full: 10_000)

    private static let samples = Once { Result { try made() } }

    private static func made() throws -> [Sample] {
        let made = try Command.run(
            ChildSpec(
                RealServer.packagesPython ?? "python3",
                [Repository.testServer("graphql_requests.py"), "\(count)", "61"]),
            within: 1200)
        guard made.ending == .exited(0) else { throw ServerProcess.NotStarted(description: made.error) }
        return try made.output.split(separator: "\n").map {
            try JSONDecoder().decode(Sample.self, from: Data($0.utf8))
        }
    }

    @Test func `none that changes something passes as a query, and no field is hidden`() throws {
        let samples = try Self.samples.value.get()
        var changing = 0
        for sample in samples where !sample.may.isEmpty {
            changing += sample.may.contains { $0.hasPrefix("mutation") } ? 1 : 0
            guard let acts = sample.acts() else { continue }
            #expect(acts.isSuperset(of: sample.may), "\(sample.text)")
        }
        #expect(samples.count == Self.count && changing > Self.count / 20)
    }

    @Test func `what every service reads in one way is read so`() throws {
        let clear = try Self.samples.value.get().filter { $0.must != nil }
        for sample in clear { #expect(sample.acts() == sample.must.map(Set.init), "\(sample.text)") }
        #expect(clear.count > Self.count / 20)
    }
}
