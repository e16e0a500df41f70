import Glibc

/// The files in which programs find the authority of the run, beside those that they have anyway; in a folder of its own, which is removed
/// with the run. None of them is secret.
final class AuthorityFiles {
    private let folder: RunFolder
    private let authority: RunAuthority
    /// By the file whose authorities they have, too.
    private var bundles: [String: String] = [:]
    private var store: String?

    /// The longest file that is read, in bytes.
    private static let limit = 16 << 20

    /// - Parameter parent: the folder for running commands.
    init(_ authority: RunAuthority, in parent: String) throws(LoginFault) {
        self.authority = authority
        folder = try fromStore(try RunFolder("unchanged", in: parent))
    }

    /// Removes all of them.
    func remove() { folder.remove() }

    /// Sets the variables that lead a program to the proxy, and to the files.
    /// - Parameter proxy: its URL and port; `nil` where no proxy can be reached.
    func apply(
        to environment: inout ProgramEnvironment, proxy: (url: String, port: Int)?, origin: Origin
    ) throws(LoginFault) {
        let before = environment
        for (names, meaning) in UnchangedVariables.table {
            for name in names {
                // Programs that read one of two spellings may read the other; npm takes the last.
                let spellings = [name] + names.filter { $0.lowercased() == name.lowercased() }
                let former = spellings.lazy.compactMap { before[$0] }.first ?? ""
                if meaning == .proxy, proxy == nil {
                    environment.removeAll(beginningWith: name + "=")
                    continue
                }
                let value =
                    switch meaning {
                    case .proxy: proxy?.url ?? ""
                    case .exceptions:
                        UnchangedVariables.exceptions(
                            from: before["no_proxy"] ?? before["NO_PROXY"] ?? "", without: origin.host)
                    case .word(let word): word
                    case .authorities: try bundle(beside: former.isEmpty ? TransportSettings.systemAuthorities : former)
                    case .addedAuthority: try bundle(beside: former)
                    case .authorityFolder: try searchedFolder(beside: former)
                    case .settings(let file, let usual, let line):
                        try write(file, try beginning(former.isEmpty ? usual : former) + filled(line) + "\n")
                    case .settingsFolder(let file, let text):
                        "\(former):\(try write(file, try filled(text), in: "php"))"
                    case .java: try java(former, port: proxy?.port)
                    }
                environment.set(name, to: value)
            }
        }
    }

    /// A line with the file of all authorities in it.
    private func filled(_ text: String) throws(LoginFault) -> String {
        text.replacing("%", with: try bundle(beside: TransportSettings.systemAuthorities))
    }

    /// A file with the authorities of another one, which may be missing, and the run's.
    private func bundle(beside path: String) throws(LoginFault) -> String {
        if let known = bundles[path] { return known }
        let made = try write("authorities-\(bundles.count).pem", try beginning(path) + authority.authority)
        bundles[path] = made
        return made
    }

    private func searchedFolder(beside former: String) throws(LoginFault) -> String {
        _ = try write(authority.fileName, authority.authority, in: "certs")
        return "\(folder.path)/certs:\(former.isEmpty ? "/etc/ssl/certs" : former)"
    }

    private func java(_ former: String, port: Int?) throws(LoginFault) -> String {
        let store = try javaStore()
        // Java takes quotes for a blank in it, and knows no escapes.
        let mark = store.contains("\"") ? "'" : "\""
        var options = ["-Djavax.net.ssl.trustStore=\(mark)\(store)\(mark)", "-Djavax.net.ssl.trustStoreType=JKS"]
        // The store has no digest; a password left over from the former options would make Java check one.
        if former.contains("trustStorePassword") { options.append("-Djavax.net.ssl.trustStorePassword=") }
        let proxy = port.map { ["-Dhttps.proxyHost=127.0.0.1", "-Dhttps.proxyPort=\($0)"] } ?? []
        return ([former] + options + proxy).filter { !$0.isEmpty }.joined(separator: " ")
    }

    private func javaStore() throws(LoginFault) -> String {
        if let known = store { return known }
        let all = try beginning(TransportSettings.systemAuthorities) + authority.authority
        let made = try write("authorities.jks", JavaTrustStore.bytes(of: all))
        store = made
        return made
    }

    /// The files that a program in a network of its own finds at the system's places, as far as there is something.
    func covers() throws(LoginFault) -> [(file: String, place: String)] {
        var covers: [(file: String, place: String)] = []
        for place in OwnNetworkFiles.authorities where Self.isThere(place) {
            covers.append((try bundle(beside: place), place))
        }
        for place in OwnNetworkFiles.javaStores where Self.isThere(place) { covers.append((try javaStore(), place)) }
        let services = OwnNetworkFiles.nameServices
        let settings =
            OwnNetworkFiles.settings
            + [(place: services, text: OwnNetworkFiles.nameServices(from: try beginning(services)))]
            + OwnNetworkFiles.hidden.map { (place: $0, text: "") }
        for (index, setting) in settings.enumerated() where Self.isThere(setting.place) {
            covers.append((try write("cover-\(index)", setting.text), setting.place))
        }
        return covers
    }

    private static func isThere(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// The text of a file, and the end of its last line; empty where it cannot be read, as the program itself would find.
    private func beginning(_ path: String) throws(LoginFault) -> String {
        guard !path.isEmpty else { return "" }
        let text = try fromStore(try Self.text(of: path))
        return text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
    }

    /// - Parameter path: of a file, or of a folder in which OpenSSL finds authorities by a hash (openssl-rehash(1)).
    private static func text(of path: String, mayBeFolder: Bool = true) throws(StoreFault) -> String {
        let number = openNamed(path)
        guard number >= 0 else { return "" }
        let file = Descriptor(number), status = try file.status(path: path)
        if mayBeFolder, status.st_mode & S_IFMT == S_IFDIR, let folder = opendir(path) {
            defer { closedir(folder) }
            var all = ""
            for name in entryNames(of: folder)
            where name.last?.isNumber == true && name.dropLast().hasSuffix(".") && all.utf8.count <= limit {
                all += try text(of: "\(path)/\(name)", mayBeFolder: false) + "\n"
            }
            return all
        }
        guard status.st_mode & S_IFMT == S_IFREG else { return "" }
        guard status.st_size <= limit else {
            throw .unsafeFile(path: path, problem: "it is longer than \(limit >> 20) MiB")
        }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        let count = try bytes.withUnsafeMutableBufferPointer { (buffer) throws(StoreFault) in
            try file.read(into: UnsafeMutableRawBufferPointer(buffer), path: path)
        }
        return String(decoding: bytes[..<count], as: UTF8.self)
    }

    /// - Parameter below: a folder in the run's.
    /// - Returns: the path of the file; that of its folder if there is one below.
    @discardableResult
    private func write(_ name: String, _ text: String, in below: String? = nil) throws(LoginFault) -> String {
        try write(name, Array(text.utf8), in: below)
    }

    private func write(_ name: String, _ bytes: [UInt8], in below: String? = nil) throws(LoginFault) -> String {
        let place = below.map { "\(folder.path)/\($0)" } ?? folder.path, path = "\(place)/\(name)"
        if below != nil { _ = try fromStore(try SafeDirectory.create(place)) }
        try fromStore(try Self.make(path, bytes))
        return below == nil ? path : place
    }

    private static func make(_ path: String, _ bytes: [UInt8]) throws(StoreFault) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let file = Descriptor(try checkCall("open", path: path, retrying { open(path, flags, 0o600) }))
        try bytes.withUnsafeBufferPointer { (bytes) throws(StoreFault) in
            try file.write(UnsafeRawBufferPointer(bytes), path: path)
        }
    }
}
