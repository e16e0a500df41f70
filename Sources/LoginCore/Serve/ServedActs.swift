/// What a request may make the service do, by its head: its own method, and what some services take in place of it.
package struct ServedActs: Equatable, Sendable {
    /// At least one: the request's own.
    package let acts: [ServedAct]
    /// The request's path.
    package var path: ServedPath { own.path }
    private let own: ServedAct
    private let hasBody: Bool
    private let fields: [ServedField]

    /// Whether a service may let a client change the method or the path by such a header: those of frameworks and gateways, and
    /// whatever is called alike.
    private static func isOverriding(_ field: ServedField) -> Bool {
        // Most of a request has other first letters, or is shorter.
        guard field.name.utf8.count >= 9, let first = field.name.utf8.first, "xXsSpPhHmM".utf8.contains(first) else {
            return false
        }
        let name = field.foldedName
        let parts = [
            "method-override", "http-method", "tunneled-method", "script-name", "path-info", "restli-method",
            "wopi-override",
        ]
        if parts.contains(where: { name.contains($0) }) { return true }
        let words = name.split(separator: "-")
        return words.last.map { ["url", "uri", "path", "prefix", "method"].contains($0) } == true
            && words.contains { ["original", "rewrite", "forwarded", "replaced", "ingress"].contains($0) }
    }

    /// - Parameter target: path and query as they are sent.
    package init(_ head: ServedHead, target: String, _ headers: ServedHeaders) throws(ServeObjection) {
        fields = headers.judged(head.fields)
        hasBody = head.method != "HEAD" && head.contentLength != 0
        if let field = fields.first(where: Self.isOverriding) {
            throw .overridingHeader(field.name)
        }
        own = ServedAct(
            method: head.wantsWebSocket ? ServeRule.webSocket : head.method, path: try Self.path(of: target))
        // A method of this name would pass by a rule that is for WebSockets alone.
        guard head.wantsWebSocket || head.method.uppercased() != ServeRule.webSocket else {
            throw .notAllowed(own, by: nil)
        }
        let query = target.drop { $0 != "?" }.dropFirst()
        guard FormMember.members(of: Array(query.utf8)).allSatisfy({ !$0.isOverride }) else { throw .overridingQuery }
        let destinations = try fields.filter { $0.mayBe("destination") }.map { (field) throws(ServeObjection) in
            guard field.hasName("Destination"), let path = headers.awayPath(field) else { throw .foreignDestination }
            return ServedAct(method: "PUT", path: try Self.path(of: path))
        }
        guard destinations.count <= 1 else { throw .foreignDestination }
        acts = [own] + destinations
    }

    /// The body, if services look in it for another method.
    package func body() throws(ServeObjection) -> ServedBody? { hasBody ? try ServedBody(fields) : nil }

    /// More different methods in a body are no request to be judged, but work for whoever judges it.
    package static let mostMethods = 8

    /// All of it with the methods that the body names, each of them once.
    package func with(methods: [String]) throws(ServeObjection) -> [ServedAct] {
        var named: [String] = []
        for method in methods where !named.contains(method) {
            guard named.count < Self.mostMethods else { throw .unreadableOverride }
            named.append(method)
        }
        return acts + named.map { ServedAct(method: $0, path: own.path) }
    }

    /// What the request may do beside its own method, for a person and the log: `DELETE /c/1`.
    package static func further(_ acts: [ServedAct]) -> [String] {
        acts.dropFirst().map { "\($0.method) \($0.path.text)" }
    }

    /// The question about a session that is sent ahead of a long body.
    package var head: ServedAct { ServedAct(method: "HEAD", path: own.path) }

    /// The request that a service sees where it does not know of WebSockets.
    package var plain: ServedAct { ServedAct(method: "GET", path: own.path) }

    private static func path(of target: String) throws(ServeObjection) -> ServedPath {
        do throws(ServedPath.Ambiguous) {
            return try ServedPath(target)
        } catch {
            throw .ambiguousPath
        }
    }
}

extension ServedHeaders {
    /// The path and query of a `Destination` (RFC 4918, section 10.3) at the service; `nil` for another place.
    fileprivate func awayPath(_ field: ServedField) -> String? {
        guard let text = String(validating: field.bytes, as: UTF8.self) else { return nil }
        return away(text).flatMap { $0.contains("#") ? nil : String($0.dropFirst(originText.utf8.count)) }
    }
}
