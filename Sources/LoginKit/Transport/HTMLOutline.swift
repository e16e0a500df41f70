import CXML
import Glibc
import Secrets

/// The forms of a page, put together from its elements one after the other.
struct HTMLOutline {
    struct Form {
        var methods: [String]
        var actions: [String]
        var namesAction: Bool
        var hasSubmitHandler: Bool
        var isMultipart: Bool
        /// The first that `accept-charset` names and we know.
        var encoding: PageEncoding?
        var fields: [PageField] = []
        var submitButtons: [SubmitButton] = []
    }

    private(set) var base: String?
    /// As the page names it.
    private(set) var encoding: PageEncoding?
    private var forms: [Form] = []
    private(set) var links: [(relations: [String], address: String, text: String, method: String?, isFrame: Bool)] = []
    /// The name and value that scripts send to protect against forged requests: `csrf-param` and `csrf-token`.
    private(set) var guardName: String?
    private(set) var guardValue: Secret?
    private(set) var hasScripts = false
    /// The address to which the page redirects by itself.
    private(set) var refresh: String?
    /// Whether it has tags from which browsers may read other forms than we do.
    private(set) var isUnclear = false
    /// Its title, and the program that claims to have made it.
    private(set) var names: [String] = []
    /// The form that is open, from its tag to the first end tag of any form, whatever lies between (the form element pointer of
    /// HTML, section 13.2.4.4).
    private var open: (form: Int, start: HTMLPlaces.FormStart)?
    /// Forms that have ended inside of elements that are still open, and so still contain what comes there.
    private var ended: [(form: Int, depth: Int)] = []
    /// The form of each `id` that is the first of its name; `nil` for another element.
    private var ids: [String: Int?] = [:]
    private var places = HTMLPlaces()
    private var controls: [HTMLControl] = []
    /// The list that is open.
    private var list: HTMLList?
    private var labels = HTMLLabels()

    mutating func take(_ element: HTMLElement) {
        places.leave(element.depth)
        while let last = ended.last, element.depth <= last.depth { ended.removeLast() }
        if let list, element.depth <= list.depth { end(list) }
        guard places.template == nil else { return }
        let isOfForm = HTMLControl.names.contains(element.name) || element.name.hasSuffix("form")
        guard places.text == nil, places.foreign == nil || !isOfForm else {
            isUnclear = isUnclear || places.isTextArea || places.foreign != nil
            return
        }
        places.enter(element)
        labels.take(element)
        if places.noScript != nil, ["form", "/form", "base"].contains(element.name) { isUnclear = true }
        if element.name != "form", let id = element.text("id"), ids[id] == nil { ids[id] = .some(nil) }
        switch element.name {
        case "base": base = base ?? element.text("href")
        case "form": begin(element)
        case "/form": end(at: element)
        case "option": list?.offer(element, isDisabled: places.group?.isDisabled == true)
        case "a", "area", "link", "frame", "iframe": link(element)
        case "script":
            hasScripts = true
            isUnclear = isUnclear || element.content.map(HTMLSource.goesOn) == true
        case "title" where names.count < 2: names += [element.content].compactMap(\.self)
        case "meta" where element.text("charset") != nil:
            encoding = encoding ?? element.text("charset").flatMap { PageEncoding(label: $0) }
        case "meta" where element.text("http-equiv")?.lowercased() == "content-type":
            encoding = encoding ?? element.text("content").flatMap(PageEncoding.init(contentType:))
        case "meta" where element.text("http-equiv")?.lowercased() == "refresh":
            refresh = refresh ?? element.text("content").flatMap(Self.refreshAddress)
        case "meta" where element.text("name")?.lowercased() == "csrf-param":
            guardName = guardName ?? element.text("content")
        case "meta" where element.text("name")?.lowercased() == "csrf-token":
            guardValue = guardValue ?? element.secret("content")
        case "meta" where names.count < 2 && element.text("name")?.lowercased() == "generator":
            names += [element.text("content")].compactMap(\.self)
        default: if isOfForm { add(element) }
        }
    }

    /// The URL in `0; url='…'`, if it is for within ten seconds (HTML, section 4.2.5.3).
    private static func refreshAddress(_ content: String) -> String? {
        guard let split = content.firstIndex(where: { $0 == ";" || $0 == "," }),
            let seconds = Double(content[..<split].filter { $0 != " " }), seconds <= 10
        else { return nil }
        var rest = content[content.index(after: split)...].drop { $0 == " " }
        if rest.prefix(3).lowercased() == "url" {
            let value = rest.dropFirst(3).drop { $0 == " " }
            if value.first == "=" { rest = value.dropFirst().drop { $0 == " " } }
        }
        guard let quote = rest.first, quote == "'" || quote == "\"" else { return rest.isEmpty ? nil : String(rest) }
        return String(rest.dropFirst().prefix { $0 != quote })
    }

    private mutating func link(_ element: HTMLElement) {
        let isFrame = element.name.hasSuffix("frame")
        guard links.count < HTMLFormReader.most, let address = element.text(isFrame ? "src" : "href"), !address.isEmpty
        else { return }
        let relations = (element.text("rel") ?? "").lowercased().split(separator: " ").map(String.init)
        // What a page is made of is no place to go to.
        guard element.name != "link" || relations.contains("service-desc") else { return }
        let method = element.text("data-turbo-method") ?? element.text("data-method")
        let text = element.name == "a" ? element.content ?? "" : ""
        links.append((relations, address, text, method?.lowercased(), isFrame))
    }

    /// A form inside of another one is ignored.
    private mutating func begin(_ element: HTMLElement) {
        guard open == nil, forms.count < HTMLFormReader.most else { return }
        open = (forms.count, places.formStart(element))
        if let id = element.text("id"), ids[id] == nil { ids[id] = .some(forms.count) }
        forms.append(
            Form(
                methods: [(element.text("method") ?? "get").lowercased()], actions: [element.text("action") ?? ""],
                namesAction: element.text("action") != nil, hasSubmitHandler: element.text("onsubmit") != nil,
                isMultipart: element.text("enctype")?.lowercased() == "multipart/form-data",
                encoding: element.text("accept-charset")?.split(whereSeparator: \.isWhitespace).lazy
                    .compactMap { PageEncoding(label: $0) }.first))
    }

    private mutating func end(at element: HTMLElement) {
        if let open, let depth = places.end(of: open.start, at: element) { ended.append((open.form, depth)) }
        open = nil
    }

    private mutating func add(_ element: HTMLElement) {
        if let list { end(list) }
        guard places.dataList == nil, controls.count < HTMLFormReader.most else { return }
        let isDisabled = places.isDisabled || element.text("disabled") != nil
        var control = HTMLControl(element, in: open?.form ?? ended.last?.form, isDisabled: isDisabled)
        control.field?.label = element.text("aria-label") ?? labels.around ?? ""
        controls.append(control)
        if element.name == "select" { list = HTMLList(element, control: controls.count - 1) }
    }

    private mutating func end(_ list: HTMLList) {
        controls[list.control].field?.value = list.value
        controls[list.control].field?.chosenOptions = list.chosen
        controls[list.control].field?.options = list.options
        self.list = nil
    }

    /// The fields of no form.
    var looseFields: [PageField] {
        controls.filter { $0.form == nil && $0.formID == nil && !$0.isDisabled }.compactMap(\.field)
    }

    /// The forms with their fields, each of which belongs to the form around it or to the one that it names.
    var finishedForms: [Form] {
        var outline = self
        if let list { outline.end(list) }
        var forms = outline.forms
        for var control in outline.controls {
            if let label = control.id.flatMap({ labels.ofControls[$0] }) { control.field?.label = label }
            let owner = control.formID.map { (ids[$0] ?? nil) } ?? control.form
            if let owner { forms[owner].take(control) }
        }
        return forms
    }
}

extension HTMLOutline.Form {
    fileprivate mutating func take(_ control: HTMLControl) {
        if let field = control.field, !control.isDisabled { fields.append(field) }
        guard let button = control.submitButton else { return }
        if !control.isDisabled {
            if let action = button.action { actions.append(action) }
            if let method = button.method { methods.append(method) }
        }
        // What closes a dialog sends nothing.
        guard button.method != "dialog" else { return }
        submitButtons.append(
            SubmitButton(
                field: control.field == nil || control.isDisabled ? nil : fields.count - 1,
                name: control.field?.name ?? "", isDisabled: control.isDisabled, isImage: button.isImage,
                action: button.action == nil || control.isDisabled ? nil : actions.count - 1))
    }
}

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

/// The present element of a page that is being walked, or a tag of a form.
struct HTMLElement {
    private let page: OpaquePointer
    private let marks: HTMLSource.Marks
    /// In lower case; `form` and `/form` for the tags of a form, which the parser reads as fields.
    let name: String
    let depth: Int

    init(page: OpaquePointer, name: String, depth: Int, marks: HTMLSource.Marks) {
        self.page = page
        self.depth = depth
        self.marks = marks
        let isMarked = { (mark: String) in name == "input" && Self.has(mark, page) }
        self.name = isMarked(marks.start) ? "form" : isMarked(marks.end) ? "/form" : name == "form" ? "" : name
    }

    private static func has(_ attribute: String, _ page: OpaquePointer) -> Bool {
        guard let value = cxml_attribute(page, attribute) else { return false }
        cxml_forget(value)
        return true
    }

    func text(_ attribute: String) -> String? { taken(cxml_attribute(page, attribute)) }

    /// The text inside it.
    var content: String? { taken(cxml_content(page)) }

    private func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
        guard let text else { return nil }
        defer { cxml_forget(text) }
        return marks.restored(String(cString: text))
    }

    func secret(_ attribute: String) -> Secret? {
        guard let value = cxml_attribute(page, attribute) else { return nil }
        defer { cxml_forget(value) }
        let secret = Secret(copying: UnsafeRawBufferPointer(start: value, count: strlen(value)))
        guard strstr(value, marks.stem) != nil else { return secret }
        return Secret(marks.restored(secret.unprotectedText))
    }
}

/// The text that people read beside the controls of a page: labels (HTML, section 4.10.4), and the header of a table's row.
struct HTMLLabels {
    /// By the `id` of their controls.
    private(set) var ofControls: [String: String] = [:]
    private var open: (text: String, depth: Int)?
    private var header: String?

    /// The label or header that the current place belongs to; `nil` without one.
    var around: String? { open?.text ?? header }

    mutating func take(_ element: HTMLElement) {
        if let label = open, element.depth <= label.depth { open = nil }
        switch element.name {
        case "label":
            guard let text = Self.text(element) else { return }
            open = (text, element.depth)
            if let id = element.text("for"), ofControls.count < HTMLFormReader.most { ofControls[id] = text }
        case "tr", "table", "form", "/form": header = nil
        case "th": header = Self.text(element)
        default: break
        }
    }

    /// Returns a label without the colon at its end; `nil` if it is empty, or too long to be one.
    private static func text(_ element: HTMLElement) -> String? {
        guard let content = element.content, content.utf8.count <= 200 else { return nil }
        let words = content.split(whereSeparator: \.isWhitespace).joined(separator: " ")
        let text = words.hasSuffix(":") ? String(words.dropLast()) : words
        return text.isEmpty ? nil : text
    }
}
