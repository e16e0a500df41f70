import CXML
import Glibc
import Secrets

/// Finds the forms of a page, with libxml2's HTML parser.
struct HTMLFormReader {
    /// More forms, or fields of one form, than any login page has.
    static let most = 1000

    /// The largest page, in bytes: its tree takes many times as much.
    static let limit = 512 << 10

    /// The URL of the page itself.
    let url: ParsedURL
    private let parser: URLParser

    /// Opens libxml2, before anything is parsed.
    /// - Throws: `OtherFailure.libraryMissing`.
    static func openLibrary() throws(LoginFault) {
        if let problem = cxml_open() { throw .failure(.libraryMissing(String(cString: problem))) }
    }

    /// - Throws: `OtherFailure.libraryMissing`.
    init(url: ParsedURL) throws(LoginFault) {
        try Self.openLibrary()
        parser = try URLParser()
        self.url = url
    }

    /// The page in the body of an answer, whatever its type is said to be.
    /// - Throws: `answerTooLarge`, `brokenResponse` for what would keep the parser too long.
    func page(_ response: HTTPResponse) throws(LoginFault) -> LoginPage {
        guard response.body.count <= Self.limit else { throw .network(.answerTooLarge(limit: Self.limit)) }
        let type = response.values(of: "Content-Type").first ?? ""
        // In XML, `<meta>` says nothing.
        let isXML = type.lowercased().contains("xml")
        let said = PageEncoding(contentType: type) ?? (isXML ? PageEncoding(xmlDeclarationOf: response.body) : nil)
        return try page(response.body, in: said)
    }

    /// - Parameter said: as the server says it. Without it the page's own `<meta>` counts, then its XML declaration. A page with none of these is in
    ///   UTF-8 if it can be: browsers take the usual encoding of the person's country, which nobody knows here.
    func page(_ body: Secret, in said: PageEncoding?) throws(LoginFault) -> LoginPage {
        let hasMark = body.withoutByteOrderMark.count < body.count
        let usual = PageEncoding(xmlDeclarationOf: body) ?? (body.isUTF8 ? .utf8 : .usual)
        var encoding = hasMark ? .utf8 : said ?? usual
        var outline = try outline(of: body, in: encoding)
        if !hasMark, said == nil, let named = outline.encoding, named != encoding {
            (encoding, outline) = (named, try self.outline(of: body, in: named))
        }
        return resolved(outline, in: encoding)
    }

    private func outline(of body: Secret, in encoding: PageEncoding) throws(LoginFault) -> HTMLOutline {
        var outline = HTMLOutline()
        let source = HTMLSource(encoding.decoded(body))
        let isRead = source.text.withUnsafeBytes { bytes in
            guard let page = cxml_read(bytes.baseAddress, bytes.count, "utf-8") else { return bytes.isEmpty }
            defer { cxml_free(page) }
            var depth: Int32 = 0
            while let name = cxml_next(page, &depth) {
                outline.take(
                    HTMLElement(page: page, name: String(cString: name), depth: Int(depth), marks: source.marks))
            }
            return true
        }
        guard isRead else { throw .network(.brokenResponse("the page takes too long to parse")) }
        return outline
    }

    /// A piece of HTML as a person reads it: white space in a row is one blank, as a browser shows it.
    func plainText(_ html: String) -> String {
        let source = HTMLSource(Secret(html))
        let text = source.text.withUnsafeBytes { bytes -> String? in
            guard let page = cxml_read(bytes.baseAddress, bytes.count, "utf-8") else { return nil }
            defer { cxml_free(page) }
            guard let content = cxml_text(page) else { return nil }
            defer { cxml_forget(content) }
            return source.marks.restored(String(cString: content))
        }
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) && byte != 0x0B }
        return (text ?? html).utf8.split(whereSeparator: isBlank).map { String(decoding: $0, as: UTF8.self) }
            .joined(separator: " ").trimmed
    }

    /// Every address of a page counts from its `<base>`, but for the empty one (HTML, section 4.10.21.3).
    private func resolved(_ outline: HTMLOutline, in encoding: PageEncoding) -> LoginPage {
        let base = outline.base.map { parser.resolve($0.cleanedAddress, against: url) }
        let start = base.flatMap { try? parser.parse($0.url) } ?? url
        let forms = outline.finishedForms.map { form in
            var read = PageForm(
                methods: form.methods,
                actions: form.actions.map { action in
                    let address = action.cleanedAddress
                    // A fragment alone is where addresses count from, the page itself as a rule.
                    guard let first = address.first, first != "#" else {
                        let page = address.isEmpty ? url : start
                        return Redirect(url: page.text, origin: page.origin, target: page.target)
                    }
                    return parser.resolve(address, against: start)
                },
                fields: form.fields)
            (read.namesAction, read.isMultipart) = (form.namesAction, form.isMultipart)
            read.hasSubmitHandler = form.hasSubmitHandler
            read.submitButtons = form.submitButtons
            read.encoding = form.encoding ?? encoding
            return read
        }
        let links = outline.links.map { link in
            PageLink(
                relations: link.relations, place: parser.resolve(link.address.cleanedAddress, against: start),
                text: link.text, method: link.method, isFrame: link.isFrame)
        }
        var page = LoginPage(
            origin: url.origin, target: url.target, base: base, forms: forms, links: links,
            hasScripts: outline.hasScripts, names: outline.names)
        (page.looseFields, page.encoding) = (outline.looseFields, encoding)
        if let name = outline.guardName, !name.isEmpty, let value = outline.guardValue {
            page.guardValue = PageField(name: name, type: "hidden", value: value)
        }
        page.isUnclear = outline.isUnclear
        page.refresh = outline.refresh.map { parser.resolve($0.cleanedAddress, against: start) }
        return page
    }
}

extension String {
    /// An address as a browser reads it before it is resolved (WHATWG URL, section 4.4): blanks and controls around it and line
    /// ends in it are dropped, and a backslash is a slash.
    fileprivate var cleanedAddress: String {
        var cleaned = String.UnicodeScalarView()
        var isQuery = false
        for scalar in unicodeScalars.trimming({ $0.value <= 0x20 })
        where scalar != "\t" && scalar != "\n" && scalar != "\r" {
            isQuery = isQuery || scalar == "?" || scalar == "#"
            cleaned.append(scalar == "\\" && !isQuery ? "/" : scalar)
        }
        return String(cleaned)
    }
}
