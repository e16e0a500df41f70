import LoginCore
import Secrets

/// A control of a form, as its tag has it.
struct HTMLControl {
    static let names = ["input", "button", "select", "textarea"]

    /// The form that is open around it.
    let form: Int?
    /// The `id` of the form that it names instead.
    let formID: String?
    /// Its own `id`, by which a label may name it.
    let id: String?
    let isDisabled: Bool
    /// `nil` without a name.
    var field: PageField?
    /// `nil` if it does not submit its form.
    let submitButton: (isImage: Bool, action: String?, method: String?)?

    init(_ element: HTMLElement, in form: Int?, isDisabled: Bool) {
        self.form = form
        self.isDisabled = isDisabled
        formID = element.text("form")
        id = element.text("id")
        let type = Self.type(element)
        if ["button", "input"].contains(element.name), ["submit", "image"].contains(type) {
            submitButton = (type == "image", element.text("formaction"), element.text("formmethod")?.lowercased())
        } else {
            submitButton = nil
        }
        guard let name = element.text("name"), !name.isEmpty else { return }
        let isBox = ["checkbox", "radio"].contains(type)
        field = PageField(
            name: name, type: type, value: Self.value(element, type), isChosen: !isBox || element.text("checked") != nil
        )
        let uses = element.text("autocomplete")?.lowercased().split(whereSeparator: \.isWhitespace) ?? []
        field?.isOneTimeCode = uses.contains("one-time-code")
    }

    private static let types = [
        "hidden", "text", "search", "tel", "url", "email", "password", "date", "month", "week", "time",
        "datetime-local", "number", "range", "color", "checkbox", "radio", "file", "submit", "image", "reset", "button",
    ]

    /// An unknown type is a text, and of a button one that submits.
    private static func type(_ element: HTMLElement) -> String {
        let type = element.text("type")?.lowercased() ?? ""
        switch element.name {
        case "input": return types.contains(type) ? type : "text"
        case "button": return ["reset", "button"].contains(type) ? type : "submit"
        default: return element.name
        }
    }

    private static func value(_ element: HTMLElement, _ type: String) -> Secret? {
        guard type == "textarea" else { return element.secret("value") }
        guard let content = element.content, !content.isEmpty else { return nil }
        // The line end behind the tag is none of its own.
        return Secret(String(content.first?.isNewline == true ? content.dropFirst() : content[...]))
    }
}

/// A list of options that is open.
struct HTMLList {
    let control: Int
    let depth: Int
    private let isMultiple: Bool
    private let isDropDown: Bool
    private var hasSelected = false
    /// The value of the selected option, else of the first.
    private(set) var value: Secret?
    /// The values that are sent.
    private(set) var chosen: [Secret] = []
    private(set) var options: [String] = []
    private static let mostOptions = 20

    init(_ element: HTMLElement, control: Int) {
        self.control = control
        depth = element.depth
        isMultiple = element.text("multiple") != nil
        isDropDown = !isMultiple && (element.text("size").flatMap { Int($0) } ?? 1) <= 1
    }

    mutating func offer(_ element: HTMLElement, isDisabled disabledGroup: Bool) {
        guard let option = element.secret("value") ?? Self.text(element) else { return }
        let isDisabled = disabledGroup || element.text("disabled") != nil
        if !isDisabled, !option.isEmpty, options.count < Self.mostOptions { options.append(option.unprotectedText) }
        let isSelected = element.text("selected") != nil
        if isSelected || value == nil { value = option }
        if isSelected {
            chosen = (isMultiple ? chosen : []) + (isDisabled ? [] : [option])
        } else if isDropDown, !hasSelected, chosen.isEmpty, !isDisabled {
            chosen = [option]
        }
        hasSelected = hasSelected || isSelected
    }

    private static func text(_ element: HTMLElement) -> Secret? {
        element.content.map { text in
            Secret(text.split { " \t\n\r\u{c}".contains($0) || $0 == "\r\n" }.joined(separator: " "))
        }
    }
}
