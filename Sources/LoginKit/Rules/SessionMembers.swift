import Secrets

/// The members that the session adds to the body of a person's own request.
extension SessionRule {
    /// The slots of all that is sent with a person's own request: in its headers, and in its body where that is added to.
    func slots(forOwn request: HTTPRequest) -> Set<Template.Slot> {
        var slots = slots(for: request.method)
        switch request.bodyForm {
        case .form: slots.formUnion(form.flatMap(\.value.slots))
        case .json: slots.formUnion(json.flatMap(\.value.slots))
        case nil: break
        }
        return slots
    }

    /// Whether there is anything that would be added to the body of a request.
    func adds(to request: HTTPRequest) -> Bool {
        switch request.bodyForm {
        case .form: !form.isEmpty
        case .json: !json.isEmpty
        case nil: false
        }
    }

    /// The body with the members that it lacks; every byte of it stays, and so does what is no form and no JSON object.
    func adding(to request: HTTPRequest, _ values: SlotValues) throws(FillFault) -> Secret? {
        guard let body = request.body else { return nil }
        switch request.bodyForm {
        case .form: return try addingForm(to: body, values)
        case .json: return try addingJSON(to: body, values)
        case nil: return body
        }
    }

    private func addingForm(to body: Secret, _ values: SlotValues) throws(FillFault) -> Secret {
        let names = body.formNames
        var builder = SecretBuilder(limit: body.count + RequestRule.bodyLimit)
        builder.append(body)
        for parameter in form where !names.contains(parameter.name) && parameter.value.isWanted(values) {
            if builder.count > 0 { builder.append("&") }
            try parameter.fill(values, .form, into: &builder)
        }
        return try builder.filled()
    }

    private func addingJSON(to body: Secret, _ values: SlotValues) throws(FillFault) -> Secret {
        let value = body.withUnsafeBytes { try? JSONReader.read($0) }
        guard case .object(let members)? = value else { return body }
        // Behind the last brace of an object there are only blanks.
        let end = body.withUnsafeBytes { $0.lastIndex(of: UInt8(ascii: "}")) ?? 0 }
        var builder = SecretBuilder(limit: body.count + RequestRule.bodyLimit)
        var written = 0
        var added: [JSONTemplate.Member] = []
        var inserted: [(start: Int, value: JSONTemplate, isLast: Bool)] = []
        for member in json where member.value.isWanted(values) {
            let name = member.arrayName
            switch members[name ?? member.name] {
            case nil:
                added.append(name.map { JSONTemplate.Member(name: $0, value: .array([member.value])) } ?? member)
            case .array(let elements)? where name != nil:
                let start = body.withUnsafeBytes { bytes -> Int? in
                    let plain = bytes.withoutByteOrderMark
                    let place = try? JSONReader.places(plain, at: []).first { $0.name == name }
                    // Behind the bracket.
                    return place.map { bytes.count - plain.count + $0.range.lowerBound + 1 }
                }
                if let start { inserted.append((start, member.value, elements.isEmpty)) }
            default: break
            }
        }
        for (start, value, isLast) in inserted.sorted(by: { $0.start < $1.start }) {
            builder.append(body.piece(written..<start))
            try value.fill(values, into: &builder)
            if !isLast { builder.append(",") }
            written = start
        }
        builder.append(body.piece(written..<end))
        try JSONTemplate.fill(added, values, into: &builder, isFirst: members.isEmpty)
        builder.append(body.piece(end..<body.count))
        return try builder.filled()
    }
}

extension JSONTemplate.Member {
    /// The array that it is put first in: its name is `/NAME/0`.
    var arrayName: String? {
        guard let pointer = JSONPointer(name), pointer.steps.count == 2, pointer.steps[1] == "0" else { return nil }
        return pointer.steps[0]
    }
}

/// The bodies that members can be added to.
private enum BodyForm { case form, json }

extension HTTPRequest {
    /// The form of the body, by its type; `nil` for other types or without a body.
    fileprivate var bodyForm: BodyForm? {
        guard body != nil || streamedBodies?.source != nil,
            let field = headers.last(where: { $0.name.lowercased() == "content-type" })
        else { return nil }
        let type = field.value.unprotectedText.lowercased().prefix { $0 != ";" && $0 != " " }
        if type == "application/x-www-form-urlencoded" { return .form }
        return type.hasPrefix("application/json") || type.hasSuffix("+json") ? .json : nil
    }
}

extension Secret {
    fileprivate func piece(_ range: Range<Int>) -> Secret {
        withUnsafeBytes { Secret(copying: UnsafeRawBufferPointer(rebasing: $0[range])) }
    }

    /// The names in a form, decoded (WHATWG URL, section 5.1).
    var formNames: Set<String> {
        withUnsafeBytes { bytes in
            let pairs = bytes.split(separator: UInt8(ascii: "&"))
            let names = pairs.compactMap { FormText.decoded($0.prefix { $0 != UInt8(ascii: "=") }, isStrict: false) }
            return Set(names.map { String(decoding: $0, as: UTF8.self) })
        }
    }
}
