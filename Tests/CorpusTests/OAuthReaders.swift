@testable import LoginKit
import Secrets

/// What comes to the loopback port, in pieces as long as the first byte says; and what the judge makes of it.
func readLoopback(_ bytes: UnsafeRawBufferPointer) {
    let reader = LoopbackRequestReader(), step = Int(bytes.first ?? 0) + 1
    var rest = bytes.dropFirst(), progress = LoopbackRequestReader.Progress.unfinished
    while progress == .unfinished, !rest.isEmpty {
        let piece = rest.prefix(min(step, reader.room.count))
        precondition(!piece.isEmpty)
        reader.room.copyMemory(from: UnsafeRawBufferPointer(rebasing: piece))
        rest = rest.dropFirst(piece.count)
        progress = reader.advance(by: piece.count)
    }
    guard case .request(let request) = progress else { return }
    precondition(!request.method.isEmpty && request.method.utf8.allSatisfy { (0x21...0x7E).contains($0) })
    precondition(request.target.withUnsafeBytes { $0.allSatisfy { (0x21...0x7E).contains($0) } && !$0.isEmpty })
    let judge = AuthorizationJudge(
        redirect: LoopbackRedirect(), port: 41873, state: Secret("s"), issuer: "https://id.example",
        promisesIssuer: false)
    let pasted = "http://127.0.0.1:41873\(request.target.unprotectedText)"
    switch judge.judge(request) {
    case .right(let code):
        precondition(request.method == "GET" && request.hosts == ["127.0.0.1:41873"] && !code.isEmpty)
        precondition(
            request.target.unprotectedText.contains("#") || judge.judge(pasted: Secret(pasted)) == .right(code: code))
    case .denied: precondition(request.method == "GET")
    case .refused(let forgery): precondition((400..<500).contains(forgery.status))
    case .notAnAddress: preconditionFailure("nothing was pasted")
    }
}

/// The body of a server's metadata.
func readMetadata(_ bytes: UnsafeRawBufferPointer) {
    guard let parser = try? URLParser() else { return }
    let parse: URLReading = { text in
        guard let url = try? parser.parse(text), url.user == nil, url.password == nil else { return nil }
        return EndpointURL(origin: url.origin, path: url.path, query: url.query)
    }
    let issuer = "https://id.example", source = Origin(scheme: "https", host: "id.example", port: 443)
    let response = HTTPResponse(status: 200, headers: [], body: Secret(copying: bytes))
    guard
        let metadata = try? ServerMetadata.read(response, of: issuer, from: source, rule: EndpointRule(), parse: parse)
    else { return }
    precondition(metadata.issuer == issuer || metadata.issuer == issuer + "/")
    precondition(metadata.endpoints.values.allSatisfy { $0.origin.scheme == "https" })
}

/// The response of a token endpoint; the first byte chooses its status.
func readTokenAnswer(_ bytes: UnsafeRawBufferPointer) {
    guard let first = bytes.first else { return }
    let status = [200, 201, 302, 400, 401, 429, 500][Int(first) % 7]
    let body = Secret(copying: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
    let response = HTTPResponse(
        status: status, headers: [HTTPResponseField(name: "Content-Type", value: "application/json")], body: body)
    guard case .issued(let tokens)? = try? TokenResponse(response) else { return }
    precondition(status < 300 && !tokens.accessToken.isEmpty && tokens.accessToken.isHeaderSafe)
    precondition(tokens.refreshToken?.isEmpty != true && tokens.lifetime.map { $0 > 0 } ?? true)
}
