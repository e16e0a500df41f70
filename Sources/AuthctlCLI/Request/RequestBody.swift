import Glibc
import LoginCore
import LoginKit
import Secrets

/// The body of a `request`, as far as it is known before it is sent.
struct RequestBody {
    let content: RequestContent
    /// Unless a header says otherwise.
    let defaultHeaders: [(name: String, value: String)]

    /// The part of a pipe that is kept for sending it once more, in bytes.
    static let kept = 1 << 20
    /// The largest body that is assembled in memory, in bytes.
    static let largestForm = 8 << 20

    /// Reads what has to be read before anything is sent.
    /// - Parameter patience: how long one wait for a named pipe may take, in seconds.
    init(_ options: RequestOptions, patience: Int) throws(LoginFault) {
        if options.get {
            (content, defaultHeaders) = (.none, [])
        } else if options.hasForm || options.page != nil {
            content = .kept(try Self.form(options, patience))
            defaultHeaders = [("Content-Type", "application/x-www-form-urlencoded")]
        } else if let text = options.dataBinary {
            content = try Self.whole(text, option: "--data-binary", patience)
            defaultHeaders = [("Content-Type", "application/x-www-form-urlencoded")]
        } else if let text = options.json {
            content = try Self.whole(text, option: "--json", patience)
            defaultHeaders = [("Content-Type", "application/json"), ("Accept", "application/json")]
        } else {
            content = .none
            defaultHeaders = []
        }
    }

    /// As curl's `-d` puts it together: line ends and NUL of a file are left out. What is to be encoded follows.
    static func form(_ options: RequestOptions, _ patience: Int) throws(LoginFault) -> Secret {
        var form = SecretBuilder(limit: largestForm)
        var pieces: [Secret] = []
        for piece in options.data {
            let isFile = piece.hasPrefix("@")
            pieces.append(
                isFile
                    ? try BodyInput(piece, option: "-d", patience: patience).all(limit: form.limit).without([0, 10, 13])
                    : Secret(piece))
        }
        for piece in options.dataUrlencode {
            pieces.append(try URLEncodedData(piece).encoded(limit: form.limit, patience: patience))
        }
        do throws(SecretBuilder.LimitExceeded) {
            for (number, piece) in pieces.enumerated() {
                if number > 0 { try form.append(UInt8(ascii: "&")) }
                try form.append(piece)
            }
        } catch {
            throw .usage(.badValue(option: "-d", problem: "more than \(error.limit) bytes; --data-binary has no limit"))
        }
        return form.finish()
    }

    /// As `--data-binary` takes it: bytes as they are, of any length.
    private static func whole(_ text: String, option: String, _ patience: Int) throws(LoginFault) -> RequestContent {
        guard text.hasPrefix("@") else { return .kept(Secret(text)) }
        let input = try BodyInput(text, option: option, patience: patience)
        if let file = input.file, file.size > kept {
            return .streamed(FileSource(input.take(), file), isRepeatable: true)
        }
        let (beginning, isWhole) = try input.beginning(limit: kept)
        if isWhole { return .kept(beginning) }
        return .streamed(PipeSource(beginning, then: input.take(), patience: input.patience), isRepeatable: false)
    }
}

extension Secret {
    /// The same without some bytes.
    fileprivate func without(_ unwanted: [UInt8]) -> Secret {
        withUnsafeBytes { bytes in
            Secret(count: bytes.count { !unwanted.contains($0) }) { buffer in
                for (place, byte) in bytes.lazy.filter({ !unwanted.contains($0) }).enumerated() { buffer[place] = byte }
            }
        }
    }
}
