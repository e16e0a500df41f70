import Secrets

/// A name and a value that a form sends.
struct FormEntry: Equatable, Sendable {
    let name: String
    let value: Secret
}

/// A button that submits its form.
struct SubmitButton: Equatable, Sendable {
    /// Its place among the form's fields; `nil` without a name, and if it is disabled.
    var field: Int?
    /// Its name; empty without one.
    var name = ""
    var isDisabled = false
    /// Whether it also sends where it was clicked.
    var isImage = false
    /// Its own `formaction`, as its place among the form's actions; `nil` if it goes where the form goes.
    var action: Int?
}

extension PageForm {
    /// The first submit button in tree order, which Enter stands for (HTML, section 4.10.21.2).
    var defaultButton: SubmitButton? { submitButtons.first }

    /// Where the default button leads.
    var action: Redirect? {
        let index = defaultButton?.action ?? 0
        return actions.indices.contains(index) ? actions[index] : nil
    }

    /// The entry list that a browser makes of the form as the page has it (HTML, section 4.10.21.4), without the fields in
    /// `named`. A button in `named` is the one that submits it.
    /// - Returns: `nil` where the button is disabled, at which a browser submits nothing.
    func entries(besides named: Set<String>) -> EntryList? {
        let button = submitButtons.first { named.contains($0.name) } ?? defaultButton
        if button?.isDisabled == true { return nil }
        var entries: [FormEntry] = []
        for (index, field) in fields.enumerated() where !named.contains(field.name) {
            guard !field.isButton || index == button?.field else { continue }
            // Of radio buttons of one name the last one is checked.
            guard field.type != "radio" || !fields[(index + 1)...].contains(where: field.isUnchecked) else { continue }
            entries += field.sent(in: encoding).map { FormEntry(name: field.name, value: $0) }
        }
        guard let button, button.isImage else { return EntryList(entries, in: encoding) }
        let prefix = button.name.isEmpty ? "" : button.name + "."
        entries += ["x", "y"].map { FormEntry(name: prefix + $0, value: Secret("0")) }
        return EntryList(entries, in: encoding)
    }
}

extension LoginPage {
    /// The form's own entries, beside the fields that the profile names.
    /// - Throws: as `form(with:leadingTo:)`; `formDisabled`.
    func entries(
        of rule: RequestRule, with names: [String], leadingTo path: String
    ) throws(LoginFault) -> EntryList {
        guard case .form(let parameters) = rule.content else { return EntryList() }
        let form = try form(with: names, leadingTo: path)
        guard let entries = form.entries(besides: Set(parameters.map(\.name))) else {
            throw .failure(.formDisabled(page: target))
        }
        return entries
    }

    /// Returns what a browser sends for the form that leads to a URL, with what a person has filled in.
    /// - Parameters:
    ///   - wanted: path and query of the URL; the query counts only among forms that lead to the same path.
    ///   - filled: URL-encoded; its members take the place of the form's own.
    /// - Returns: path and query, and the body.
    /// - Throws: as `form(with:leadingTo:)`; `formDisabled`.
    func submission(
        leadingTo wanted: String, filled: Secret
    ) throws(LoginFault) -> (target: String, body: Secret) {
        let names = filled.formNames
        let (form, target) = try form(leadingTo: wanted, named: names)
        guard let entries = form.entries(besides: names) else { throw .failure(.formDisabled(page: self.target)) }
        do {
            return (target, try entries.body(with: filled, limit: filled.count + RequestRule.bodyLimit))
        } catch .notInEncoding(let field, let encoding) {
            throw .usage(.notInEncoding(field: field, encoding: encoding))
        } catch {
            throw .usage("the form of the page is longer than \(RequestRule.bodyLimit) bytes")
        }
    }
}

extension String {
    /// Whether a form's target is this one: the same path but for parameters behind it (RFC 3986, section 3.3), as Java's servers append a session
    /// there, and at least the same members in the query.
    func isTarget(_ wanted: String) -> Bool {
        let path = { (target: String) in target.withoutQuery.prefix { $0 != ";" } }
        let members = { (target: String) in
            Set(
                target.dropFirst(target.withoutQuery.count + 1).split(separator: "&").map {
                    FormText.decoded($0.utf8, isStrict: false)
                })
        }
        return path(self) == path(wanted) && members(self).isSuperset(of: members(wanted))
    }
}

extension PageField {
    fileprivate var isButton: Bool { ["submit", "image", "button", "reset"].contains(type) }

    /// Whether another radio button, behind it, unchecks it.
    fileprivate func isUnchecked(by other: PageField) -> Bool {
        other.type == "radio" && other.name == name && other.isChosen
    }

    /// The values that it sends.
    fileprivate func sent(in encoding: PageEncoding) -> [Secret] {
        switch type {
        case "checkbox", "radio": isChosen ? [value ?? Secret("on")] : []
        case "select": chosenOptions
        // An image sends where it was clicked instead, and no file has been chosen.
        case "image": []
        case "file": [Secret("")]
        case "hidden" where name.lowercased() == "_charset_": [Secret(encoding.name)]
        default: [value ?? Secret("")]
        }
    }
}

extension Secret {
    /// The text with CR LF for each line end (HTML, section 4.10.21.5).
    var withFormLineEnds: Secret {
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        // No byte becomes more than two.
        var text = SecretBuilder(limit: 2 * count)
        withUnsafeBytes { bytes in
            var last: UInt8?
            for byte in bytes {
                // The line feed of CR LF is there already.
                let isSecond = byte == lineFeed && last == carriageReturn
                last = byte
                if isSecond { continue }
                if byte == lineFeed || byte == carriageReturn { text.append("\r\n") } else { text.append(byte) }
            }
        }
        return text.finish() ?? self
    }
}
