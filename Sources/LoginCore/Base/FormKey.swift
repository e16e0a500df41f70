/// A member's name in the forms that authctl keeps, whatever the type.
///
/// Each type of keys costs a search among all conformances of the program, when the first container with it is made.
package struct FormKey: CodingKey, ExpressibleByStringLiteral {
    package let stringValue: String
    package var intValue: Int? { nil }

    package init(stringValue: String) {
        self.stringValue = stringValue
    }

    package init(stringLiteral: String) {
        stringValue = stringLiteral
    }

    package init?(intValue _: Int) { nil }
}
