import ArgumentParser
import LoginCore

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
