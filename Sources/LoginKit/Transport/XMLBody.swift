import CXML
import Secrets

extension HTTPResponse {
    /// Reads an XML body for rules, with libxml2: the text of the first element at a path of names from the root on, whatever
    /// their prefixes.
    /// - Returns: `nil` if it is not XML in UTF-8, has a document type, whose entities could make much of little, or is too long.
    /// - Throws: `OtherFailure.libraryMissing`.
    func xml() throws(LoginFault) -> (([String]) -> String?)? {
        guard body.count <= HTMLFormReader.limit, body.withUnsafeBytes({ !$0.hasDocumentType }) else { return nil }
        try HTMLFormReader.openLibrary()
        let body = body
        return { path in body.withUnsafeBytes { $0.text(atXML: path) } }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate var hasDocumentType: Bool { firstRange(of: Array("<!DOCTYPE".utf8)) != nil }

    fileprivate func text(atXML path: [String]) -> String? {
        guard let page = cxml_read_xml(baseAddress, count) else { return nil }
        defer { cxml_free(page) }
        var names: [String] = []
        var depth: Int32 = 0
        while let name = cxml_next(page, &depth) {
            names.removeLast(Swift.max(0, names.count - Int(depth)))
            names.append(String(cString: name).withoutPrefix)
            guard names == path, let text = cxml_content(page) else { continue }
            defer { cxml_forget(text) }
            return String(cString: text).trimmed
        }
        return nil
    }
}

extension String {
    /// The local part of a name (Namespaces in XML 1.0, section 4).
    fileprivate var withoutPrefix: String {
        String(decoding: utf8.split(separator: UInt8(ascii: ":")).last ?? utf8[...], as: UTF8.self)
    }
}
