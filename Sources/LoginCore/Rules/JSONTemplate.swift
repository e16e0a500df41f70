import Secrets

/// A JSON value whose texts are templates: what a profile's `json` says.
package enum JSONTemplate: Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(Template)
    case array([JSONTemplate])
    /// Members in the order in which they are sent.
    case object([Member])

    /// A name and its value in an object.
    package struct Member: Equatable, Sendable {
        /// A literal string; escaped when it is sent.
        package let name: String
        /// A text with a `{ttl}` that was not asked for is left out, name and all.
        package let value: JSONTemplate

        /// - Parameter name: without quotes and escapes.
        package init(name: String, value: JSONTemplate) {
            self.name = name
            self.value = value
        }
    }

    /// Every slot in any of its texts, in the order in which they are sent.
    package var slots: [Template.Slot] {
        switch self {
        case .null, .bool, .integer, .number: []
        case .string(let template): template.slots
        case .array(let elements): elements.flatMap(\.slots)
        case .object(let members): members.flatMap(\.value.slots)
        }
    }

    func fill(_ values: SlotValues, into builder: inout SecretBuilder) throws(FillFault) {
        switch self {
        case .null: try builder.write("null")
        case .bool(let flag): try builder.write(String(flag))
        case .integer(let number): try builder.write(String(number))
        case .number(let number): try builder.write(String(number))
        case .string(let template):
            try builder.write("\"")
            try template.fill(values, .json, into: &builder)
            try builder.write("\"")
        case .array(let elements):
            try fill(elements.filter { $0.isWanted(values) }, values, into: &builder)
        case .object(let members):
            try builder.write("{")
            try Self.fill(members, values, into: &builder, isFirst: true)
            try builder.write("}")
        }
    }

    /// Whether nothing in it waits for what there is not, such as a `{ttl}` that was not asked for.
    func isWanted(_ values: SlotValues) -> Bool {
        if case .string(let template) = self { return template.isWanted(values) }
        return true
    }

    private func fill(
        _ elements: [JSONTemplate], _ values: SlotValues, into builder: inout SecretBuilder
    ) throws(FillFault) {
        try builder.write("[")
        for (index, element) in elements.enumerated() {
            if index > 0 { try builder.write(",") }
            try element.fill(values, into: &builder)
        }
        try builder.write("]")
    }

    /// The members that are wanted, without the braces around them.
    /// - Parameter isFirst: whether none stands before them.
    static func fill(
        _ members: [Member], _ values: SlotValues, into builder: inout SecretBuilder, isFirst: Bool
    ) throws(FillFault) {
        for (index, member) in members.filter({ $0.value.isWanted(values) }).enumerated() {
            try builder.write(index == 0 && isFirst ? "\"" : ",\"")
            try builder.write(Secret(member.name), .json)
            try builder.write("\":")
            try member.value.fill(values, into: &builder)
        }
    }
}
