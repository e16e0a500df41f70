/// The profile that follows from what was found out, line by line with what each is taken from.
package struct ProposedProfile {
    /// A key with its value.
    struct Line {
        /// From the profile's table on.
        let path: [String]
        let value: ConfigValue
        /// The evidence, for a person; `nil` for a value that the person gave.
        let why: String?

        /// As a profile has it.
        var written: String { "\(path[path.count - 1]) = \(value.inline)" }
    }

    package let name: String
    let found: Discovered
    /// The presets for what was found, each with its command.
    let advice: [String]
    private(set) var lines: [Line]
    /// Remarks about the profile, and what was not detected.
    private(set) var remarks: [String]

    /// - Parameters:
    ///   - origin: of the URL that was looked at.
    ///   - connection: the keys that say how it was reached.
    ///   - advice: presets for what was found.
    init(
        name: String, origin: Origin, found: Discovered, connection: [String: ConfigValue] = [:], advice: [String] = []
    ) {
        self.name = name
        (self.advice, remarks) = (advice, advice + found.remarks)
        self.found = found
        var lines = [Line(path: ["url"], value: .string("\(origin)"), why: nil)]
        lines += connection.sorted { $0.key < $1.key }.map { Line(path: [$0.key], value: $0.value, why: nil) }
        if let login = found.login { lines += Self.login(login) }
        // The endpoint of an MCP server is verify by itself.
        if let place = found.guarded, found.mcp == nil { lines.append(Self.verify(place)) }
        if let mcp = found.mcp {
            lines.append(Line(path: ["mcp"], value: .literal(mcp), why: "path and refusal of an MCP server"))
            remarks.append("for an MCP client: \(ShellCommand("authctl", "mcp", name))")
        }
        if let logout = found.logout {
            lines.append(Line(path: ["logout"], value: logout.written, why: logout.evidence))
        }
        if case .oauth(let server)? = found.login { lines += Self.server(server) }
        self.lines = lines
    }

    /// Whether a login can be tried with it.
    package var isUsable: Bool { found.login != nil && found.guarded != nil }

    /// The profile's table.
    var table: [String: ConfigValue] {
        lines.reduce(into: [:]) { table, line in
            guard line.path.count > 1 else { return table[line.path[0]] = line.value }
            var inner: [String: ConfigValue] = [:]
            if case .table(let members)? = table[line.path[0]] { inner = members }
            inner[line.path[1]] = line.value
            table[line.path[0]] = .table(inner)
        }
    }

    /// Adds to the login's form what a person has typed for its other fields, which need no remark then.
    mutating func fillIn(_ values: [String: String], asked fields: [LabelledField]) {
        let told = fields.map(\.remark)
        remarks.removeAll { told.contains($0) }
        guard !values.isEmpty, let index = lines.firstIndex(where: { $0.path == ["login"] }),
            case .table(var login) = lines[index].value, case .table(var form)? = login["form"]
        else { return }
        for (name, value) in values { form[name] = .literal(value) }
        login["form"] = .table(form)
        lines[index] = Line(path: ["login"], value: .table(login), why: lines[index].why)
    }

    /// The ways in which a person may consent; empty for other logins.
    var flows: [String] { if case .oauth(let server)? = found.login { server.flows } else { [] } }

    /// The requests that were sent, for the head of a profile.
    package var summary: String { found.summary }

    /// The profile in JSON, with the evidence for each key, the ways in which a person may consent, and the remarks.
    package var report: [String: JSONValue] {
        let evidence = lines.compactMap { line in
            line.why.map { why -> JSONValue in
                .object([
                    "key": .string(line.path.joined(separator: ".")), "from": .string(why), "value": line.value.json,
                ])
            }
        }
        return [
            "profile": .object(isUsable ? [name: ConfigValue.table(table).json] : [:]), "evidence": .array(evidence),
            "flows": .array(flows.map { .string($0) }), "remarks": .array(remarks.map { .string($0) }),
        ]
    }

    private static func login(_ login: FoundLogin) -> [Line] {
        let why = login.evidence
        switch login {
        case .challenge(let schemes, _):
            // Of several, the strongest that the server offers is taken at each login.
            return schemes.count == 1 ? [Line(path: ["method"], value: .string(schemes[0].rawValue), why: why)] : []
        case .oauth:
            return [Line(path: ["method"], value: .string("oauth"), why: why)]
        case .token(let header, _):
            let method = Line(path: ["method"], value: .string("token"), why: why)
            guard let header else { return [method] }
            return [method, Line(path: ["session"], value: .table(["header": .string(header)]), why: nil)]
        case .form(let form):
            return [
                Line(path: ["method"], value: .string("cookie"), why: why),
                Line(path: ["login"], value: .table(form.request), why: form.evidence),
            ]
        case .browser:
            return [Line(path: ["method"], value: .string("browser"), why: why)]
        case .passwordGrant(let path, _):
            let form: [String: ConfigValue] = [
                "grant_type": .string("password"), "username": .string("{username}"),
                "password": .string("{password}"),
            ]
            return [
                Line(path: ["method"], value: .string("token"), why: why),
                Line(
                    path: ["login"],
                    value: .table([
                        "post": .literal(path), "form": .table(form), "token": .string("/access_token"),
                        // 'invalid_grant' (RFC 6749, section 5.2); many services have words of their own beside it.
                        "refused": .array([.integer(400), .integer(401)]),
                    ]),
                    why: nil),
            ]
        }
    }

    /// The line for a verify request, with its evidence.
    static func verify(_ place: GuardedPlace) -> Line {
        var rule: [String: ConfigValue] = ["get": .literal(place.target)]
        switch place.refusal {
        case .status(401), .form, .name, .elsewhere: break
        case .status(let status): rule["logged-out"] = .array([.integer(401), .integer(Int64(status))])
        case .redirect(let status, let path):
            let condition: [String: ConfigValue] = [
                "status": .integer(Int64(status)), "header:Location": .string("\(path)*"),
            ]
            rule["logged-out"] = .array([.integer(401), .table(condition)])
        }
        if !place.loggedIn.isEmpty { rule["logged-in"] = .array(place.loggedIn.map { .integer(Int64($0)) }) }
        if let name = place.username { rule["username"] = name.written }
        return Line(path: ["verify"], value: .table(rule), why: place.evidence)
    }

    private static func server(_ server: FoundServer) -> [Line] {
        let values = [("issuer", server.issuer), ("resource", server.resource), ("scope", server.scope)]
        return values.compactMap { key, text in
            text.map { Line(path: ["oauth", key], value: .string($0), why: server.evidence(for: key)) }
        }
    }
}

extension FoundForm {
    /// The request that sends it.
    fileprivate var request: [String: ConfigValue] {
        var form = [passwordField: ConfigValue.string("{password}")]
        if let usernameField { form[usernameField] = .string("{username}") }
        return ["page": .literal(page), "post": .literal(action), "form": .table(form)]
    }
}

extension FoundLogout {
    /// As a profile has it.
    var written: ConfigValue {
        switch self {
        case .link(_, let target): .table(["get": .literal(target)])
        case .linkWithNonce(let page, let path): .table(["page": .literal(page), "follow": .literal(path)])
        case .form(let page, let action):
            .table(["page": .literal(page), "post": .literal(action), "form": .table([:])])
        case .described(let target, _): .table(["post": .literal(target)])
        }
    }
}

extension ConfigValue {
    /// A template without slots.
    fileprivate static func literal(_ text: String) -> ConfigValue { .string(Template(literal: text).source) }
}

extension ProposedProfile {
    /// Where the reasons begin; of a longer row the reason stands above it.
    private static let column = 44

    /// The profile as TOML, with the reason of each line behind it.
    /// - Parameters:
    ///   - head: what stands above it, without `#`.
    ///   - isAlone: for a file of its own, without `[profiles.NAME]`.
    package func document(head: String, isAlone: Bool) -> String {
        var text = Self.comment(head)
        if isUsable {
            if !isAlone { text.append("[profiles.\(ConfigValue.key(name))]") }
            text += rows(of: nil)
            let oauth = rows(of: "oauth")
            if !oauth.isEmpty { text += [isAlone ? "[oauth]" : "[profiles.\(ConfigValue.key(name)).oauth]"] + oauth }
        }
        return (text + remarks.flatMap(Self.comment)).joined(separator: "\n")
    }

    /// A sentence in lines that no terminal breaks in the middle of a word; a line of a profile, which is indented, as it is.
    private static func comment(_ sentence: String) -> [String] {
        if sentence.hasPrefix(" ") { return ["# \(sentence)"] }
        return TextLook.plain.text(StyledText(sentence).wrapped(for: .plain, columns: 78, below: 0)).split(
            separator: "\n"
        )
        .map { "# \($0)" }
    }

    private func rows(of table: String?) -> [String] {
        let rows = lines.filter { table == nil ? $0.path.count == 1 : $0.path[0] == table && $0.path.count > 1 }
        let width = rows.map { $0.path[$0.path.count - 1].count }.max() ?? 0
        return rows.flatMap { line in
            let key = line.path[line.path.count - 1]
            let value = line.value.withoutURLSecrets(at: key)
            let row = key + String(repeating: " ", count: width - key.count) + " = " + value.inline
            guard let why = line.why else { return [row] }
            if row.count >= Self.column { return Self.comment(why) + [row] }
            return [row + String(repeating: " ", count: Self.column - row.count) + "# \(why)"]
        }
    }
}
