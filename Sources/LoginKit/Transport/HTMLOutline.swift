import LoginCore
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
    private(set) var links: [(relations: [String], address: String, text: String, method: String?)] = []
    /// What scripts are to send against forged requests: `csrf-param` and `csrf-token`.
    private(set) var guardName: String?
    private(set) var guardValue: Secret?
    private(set) var hasScripts = false
    /// The address that the page is left for by itself.
    private(set) var refresh: String?
    /// Whether there are tags where browsers and we would not agree about the forms.
    private(set) var isUnclear = false
    /// Its title, and the program that says it made it.
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
        guard !places.isOutside else { return }
        let isOfForm = HTMLControl.names.contains(element.name) || element.name.hasSuffix("form")
        guard !places.isText, !(places.isForeign && isOfForm) else {
            isUnclear = isUnclear || places.isTextArea || places.isForeign
            return
        }
        places.enter(element)
        labels.take(element)
        if places.isInNoScript, ["form", "/form", "base"].contains(element.name) { isUnclear = true }
        if element.name != "form", let id = element.text("id"), ids[id] == nil { ids[id] = .some(nil) }
        switch element.name {
        case "base": base = base ?? element.text("href")
        case "form": begin(element)
        case "/form": end(at: element)
        case "option": list?.offer(element, isDisabled: places.isDisabledGroup)
        case "a", "area", "link": link(element)
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
        guard links.count < HTMLFormReader.most, let address = element.text("href"), !address.isEmpty else { return }
        let relations = (element.text("rel") ?? "").lowercased().split(separator: " ").map(String.init)
        // What a page is made of is no place to go to.
        guard element.name != "link" || relations.contains("service-desc") else { return }
        let method = element.text("data-turbo-method") ?? element.text("data-method")
        links.append((relations, address, element.name == "a" ? element.content ?? "" : "", method?.lowercased()))
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
        guard !places.isInDataList, controls.count < HTMLFormReader.most else { return }
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
