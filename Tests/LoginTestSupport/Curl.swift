import Foundation

/// curl as the independent client: what a server really answers, without a line of our own HTTP.
struct Curl {
    /// curl failed before it had an answer; its exit status is in curl(1).
    struct Failure: Error {
        /// Nothing where a signal ended it.
        let status: Int32?
    }

    /// Whether libcurl is version 8, as from Debian 13 on: it words some faults in another way than version 7.
    static let isVersion8 =
        (try? Command.tool("curl", ["--version"]).output.contains("libcurl/8.")) ?? false

    let status: Int
    /// By lower-case name; of several with one name the last.
    let headers: [String: String]
    let body: Data

    /// Sends one request; `arguments` are curl's own, the URL included.
    /// - Throws: ``Failure`` with curl's exit status.
    init(_ arguments: String...) throws {
        try self.init(arguments)
    }

    /// The same, for arguments in a list.
    init(_ arguments: [String]) throws {
        let run = try Command.tool(
            "curl", ["-q", "-sS", "-i", "--max-time", "60", "--noproxy", "*"] + arguments)
        let output = Data(run.outputBytes)
        guard case .exited(let code) = run.ending else { throw Failure(status: nil) }
        guard code == 0, let end = output.range(of: Data("\r\n\r\n".utf8)) else { throw Failure(status: code) }
        body = Data(output[end.upperBound...])
        let lines = String(decoding: output[..<end.lowerBound], as: UTF8.self).split(separator: "\r\n")
        status = lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let halves = line.split(separator: ":", maxSplits: 1)
            guard halves.count == 2 else { continue }
            fields[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
        }
        headers = fields
    }

    /// The body as text.
    var text: String {
        String(decoding: body, as: UTF8.self)
    }

    /// A text, a number or nothing at a place in a JSON body, as in `json("result", "authstatus", "1")`.
    func json(_ place: String...) -> String? {
        guard var value = try? JSONSerialization.jsonObject(with: body, options: .fragmentsAllowed) else { return nil }
        for step in place {
            if let object = value as? [String: Any], let next = object[step] {
                value = next
            } else if let list = value as? [Any], let index = Int(step), list.indices.contains(index) {
                value = list[index]
            } else {
                return nil
            }
        }
        return (value as? String) ?? (value as? NSNumber)?.stringValue
    }
}
