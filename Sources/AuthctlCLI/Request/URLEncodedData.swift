import LoginKit
import Secrets

/// One `--data-urlencode`, as in curl: `text`, `=text`, `name=text`, `@file` or `name@file`.
struct URLEncodedData {
    /// Sent as it is, with a `=` behind it; empty for none.
    let name: String
    /// The text to encode; `nil` if it is in a file.
    let text: String?
    /// `@` and a path.
    let file: String?

    init(_ piece: String) {
        if let mark = piece.firstIndex(of: "=") {
            (name, text, file) = (String(piece[..<mark]), String(piece[mark...].dropFirst()), nil)
        } else if let mark = piece.firstIndex(of: "@") {
            (name, text, file) = (String(piece[..<mark]), nil, String(piece[mark...]))
        } else {
            (name, text, file) = ("", piece, nil)
        }
    }

    /// All of it as it stands in a form.
    func encoded(limit: Int, patience: Int) throws(LoginFault) -> Secret {
        let bytes: Secret
        if let file {
            bytes = try BodyInput(file, option: "--data-urlencode", patience: patience).all(limit: limit)
        } else {
            bytes = Secret(text ?? "")
        }
        var builder = SecretBuilder(limit: limit)
        builder.append(name.isEmpty ? "" : "\(name)=")
        builder.append(bytes, .form)
        guard let data = builder.finish() else {
            throw .usage(.badValue(option: "--data-urlencode", problem: "more than \(limit) bytes"))
        }
        return data
    }
}
