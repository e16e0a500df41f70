import ArgumentParser
import Glibc
import LoginKit
import Secrets

/// The options of `request`, with curl's names and meanings.
struct RequestOptions: ParsableArguments {
    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("Send this header, 'Name: value'; @file has one on each line.", valueName: "line"))
    var header: [String] = []

    @Option(
        name: [.customShort("d"), .long],
        help: ArgumentHelp(
            "Send this as a form; @file and @- without line ends. Several are joined with '&'.", valueName: "data"))
    var data: [String] = []

    @Option(
        help: ArgumentHelp(
            "Encode this for a form, then as -d: text, =text, name=text, @file or name@file.", valueName: "data"))
    var dataUrlencode: [String] = []

    @Flag(name: [.customShort("G"), .long], help: "Put what -d and --data-urlencode say into the URL, and send GET.")
    var get = false

    @Option(
        help: ArgumentHelp(
            "Fetch this page first, and send its form that leads to the URL, with -d filled in.", valueName: "path"))
    var page: String?

    @Option(help: ArgumentHelp("Send these bytes unchanged; @file, or @- for standard input.", valueName: "data"))
    var dataBinary: String?

    @Option(
        help: ArgumentHelp("Send this JSON, and ask for JSON; @file and @- unchanged.", valueName: "data"))
    var json: String?

    @Option(
        name: [.customShort("o"), .long],
        help: ArgumentHelp("Write the body of the response to this file.", valueName: "file"), completion: .file())
    var output: String?

    @Flag(name: [.customShort("i"), .long], help: "Print status and headers before the body.")
    var include = false

    func validate() throws {
        let ways = [hasForm, dataBinary != nil, json != nil].count { $0 }
        if ways > 1 { throw ValidationError("-d, --data-binary and --json exclude each other.") }
        if get, ways > 0, !hasForm { throw ValidationError("--get is only for -d and --data-urlencode.") }
        if page != nil, get || dataBinary != nil || json != nil {
            throw ValidationError("--page fills in a form: use -d or --data-urlencode.")
        }
        if readsStandardInput.count > 1 { throw ValidationError("Standard input can be read once.") }
    }

    /// Whether one of them gives a body.
    var hasBody: Bool { !get && (hasForm || page != nil || dataBinary != nil || json != nil) }

    /// Whether there is anything for a form, or for the URL with `--get`.
    var hasForm: Bool { !data.isEmpty || !dataUrlencode.isEmpty }

    /// The options that take it.
    var readsStandardInput: [String] {
        let encoded = dataUrlencode.compactMap { URLEncodedData($0).file }
        return (data + encoded + [dataBinary, json].compactMap { $0 } + header).filter { $0 == "@-" }
    }
}

extension OutgoingRequest {
    /// Reads what has to be read before anything is sent, and opens the output.
    /// - Parameter mayConcern: whether an answer with this head is held back until it was judged.
    init(
        _ invocation: Invocation, _ profile: Profile, _ options: RequestOptions, method: String, url: String,
        mayConcern: @escaping (HTTPResponse) -> Bool
    ) throws(LoginFault) {
        let endpoint = try invocation.context.connections.endpoint(profile)
        let body = try RequestBody(options, patience: invocation.patience(profile))
        let headers = try RequestHeaders(options.header, defaults: body.defaultHeaders, taken: profile.sessionHeaders)
        let target = options.get ? try options.query(appendedTo: url, patience: invocation.patience(profile)) : url
        var message = HTTPRequest(
            method: method, url: try endpoint.requestURL(target), headers: headers.fields)
        message.withoutHeaders = headers.removed
        let writer = try BodyWriter(
            invocation.streams, path: options.output,
            isTerminal: invocation.context.dependencies.isTerminal(STDOUT_FILENO),
            patience: invocation.patience(profile))
        // The lines of -v come while a body is sent.
        let output = ResponseOutput(
            writer, includesHead: options.include,
            progress: writer.isShownOnTerminal ? nil : invocation.transferProgress(),
            upload: invocation.options.verbose ? nil : invocation.transferProgress(), mayConcern: mayConcern)
        let page = try options.page.map { (page) throws(LoginFault) in try endpoint.requestURL(page) }
        self.init(message: message, body: body.content, output: output, page: page) {
            invocation.context.person.say("\(profile.name): \($0)")
        }
    }

    /// Says where a redirect leads.
    /// - Returns: 0 for an answer below 400.
    func code(of response: HTTPResponse) throws(LoginFault) -> ExitCode {
        if let redirect = response.redirect, (300..<400).contains(response.status) {
            let target = redirect.url.prefix { $0 != "?" && $0 != "#" }
            say("the response is a redirect to \(SafeText.quoted(String(target))), which was not followed")
        }
        switch response.status {
        case 429, 503:
            throw .busy(BusyFault(status: response.status, retryAfter: response.retryAfter, words: nil))
        case 400...: throw .http(status: response.status)
        default: return .ok
        }
    }
}

extension RequestOptions {
    /// The URL with what would be the form in its query, before a fragment, as curl's `--get` has it.
    fileprivate func query(appendedTo url: String, patience: Int) throws(LoginFault) -> String {
        let form = try RequestBody.form(self, patience).unprotectedText
        let start = url.prefix { $0 != "#" }
        let mark = start.contains("?") ? (start.hasSuffix("?") || start.hasSuffix("&") ? "" : "&") : "?"
        return form.isEmpty ? url : "\(start)\(mark)\(form)\(url.dropFirst(start.count))"
    }
}

/// The headers of a `request`, as `-H` gives them.
struct RequestHeaders {
    let fields: [HTTPRequestField]
    /// The names of those that are left out.
    let removed: [String]

    /// - Parameters:
    ///   - defaults: what holds where no line says otherwise.
    ///   - taken: the names that the session has its own values for, in lower case.
    init(
        _ lines: [String], defaults: [(name: String, value: String)], taken: Set<String>
    ) throws(LoginFault) {
        var fields: [HTTPRequestField] = []
        var named: Set<String> = [], removed: [String] = []
        for line in try Self.expanded(lines) {
            let field = try Self.field(line)
            let name = field.name.lowercased()
            guard !taken.contains(name) else {
                throw .usage(
                    .badValue(
                        option: "-H", problem: "the session sets the header \(SafeText.quoted(field.name)) itself"))
            }
            named.insert(name)
            if let value = field.value {
                fields.append(HTTPRequestField(name: field.name, value: value))
            } else {
                removed.append(field.name)
            }
        }
        for header in defaults where !named.contains(header.name.lowercased()) {
            fields.append(HTTPRequestField(name: header.name, value: Secret(header.value)))
        }
        self.fields = fields
        // 'Name:' beside 'Name: value' changes nothing, as in curl.
        self.removed = removed.filter { name in !fields.contains { $0.name.lowercased() == name.lowercased() } }
    }

    /// `@FILE` stands for the lines of a file.
    private static func expanded(_ lines: [String]) throws(LoginFault) -> [String] {
        var all: [String] = []
        for line in lines {
            guard line.hasPrefix("@") else {
                all.append(line)
                continue
            }
            let text = try BodyInput(line, option: "-H").all(limit: 256 << 10).unprotectedText
            // At line feeds alone: other line ends are part of a value, which may not hold them.
            all += text.utf8.split(separator: UInt8(ascii: "\n")).map { line in
                String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
            }
        }
        return all
    }

    /// `Name: value`; `Name;` has an empty value, and `Name:` takes a header away.
    private static func field(_ line: String) throws(LoginFault) -> (name: String, value: Secret?) {
        if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return (String(line[..<colon]), value.isEmpty ? nil : Secret(String(value)))
        }
        guard line.hasSuffix(";") else {
            throw .usage(.badValue(option: "-H", problem: "a header must be 'Name: value'"))
        }
        return (String(line.dropLast()), Secret(""))
    }
}

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
            (content, defaultHeaders) = (.none, [])
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
        for (number, piece) in pieces.enumerated() {
            if number > 0 { form.append(UInt8(ascii: "&")) }
            form.append(piece)
        }
        guard let form = form.finish() else {
            throw .usage(.badValue(option: "-d", problem: "more than \(largestForm) bytes; --data-binary has no limit"))
        }
        return form
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

/// The file of `@FILE` or `@-`, open for reading.
final class BodyInput {
    private var descriptor: Int32
    private let option: String
    private let path: String
    /// The time limit for one wait for a named pipe, in seconds; `nil` for anything else.
    let patience: Int?
    /// The state of a regular file.
    let file: FileState?

    /// - Parameter name: `@` and a path, or `@-` for standard input.
    /// - Throws: `usage` for a file that cannot be opened.
    init(_ name: String, option: String, patience: Int = PasswordCommand.patience) throws(LoginFault) {
        self.option = option
        path = String(name.dropFirst())
        descriptor = path == "-" ? dup(STDIN_FILENO) : openNamed(path)
        guard descriptor >= 0 else { throw Self.problem(option, SafeText.quoted(path), errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // Standard input may stand in the middle of a file; then it is read like a pipe.
        file = lseek(descriptor, 0, SEEK_CUR) == 0 ? FileState(descriptor) : nil
        var status = stat()
        let isKnown = fstat(descriptor, &status) == 0
        // Standard input is the caller's own, who sets the pace there.
        self.patience = isKnown && path != "-" && status.st_mode & S_IFMT == S_IFIFO ? patience : nil
        guard isKnown, status.st_mode & S_IFMT != S_IFDIR else {
            throw Self.problem(option, SafeText.quoted(path), EISDIR)
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Hands the descriptor over.
    func take() -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    /// All of it, in memory.
    func all(limit: Int) throws(LoginFault) -> Secret {
        let (bytes, isWhole) = try beginning(limit: limit)
        guard isWhole else {
            throw .usage(.badValue(option: option, problem: "more than \(limit) bytes; --data-binary has no limit"))
        }
        return bytes
    }

    /// - Returns: at least the first `limit` bytes, and whether that is all.
    func beginning(limit: Int) throws(LoginFault) -> (bytes: Secret, isWhole: Bool) {
        var builder = SecretBuilder(limit: limit + 2 * Self.piece)
        var isWhole = false
        while !isWhole, builder.count <= limit {
            let count = try builder.append(upTo: Self.piece) { (bytes) throws(LoginFault) in
                let count = bytes.readSome(from: descriptor, within: patience)
                guard count >= 0 else { throw Self.problem(option, SafeText.quoted(path), errno) }
                return count
            }
            isWhole = count == 0
        }
        guard let bytes = builder.finish() else { preconditionFailure("more was read than was asked for") }
        return (bytes, isWhole)
    }

    private static let piece = 64 << 10

    private static func problem(_ option: String, _ name: String, _ code: Int32) -> LoginFault {
        let why = code == ETIMEDOUT ? "nothing came from this pipe in time" : SystemWords.of(code)
        return .usage(.badValue(option: option, problem: "\(name) cannot be read: \(why)"))
    }
}
