import Foundation
import LoginCore

/// A TLS server that counts the bytes of HTTP that reach it, in a process of its own: Python's ssl module, so that what
/// is tested does not also do the testing.
final class TLSServer {
    struct Unavailable: Error { let output: String }

    private let process = Process()
    private let log = Pipe()
    let port: Int

    var origin: Origin { Origin(scheme: "https", host: "127.0.0.1", port: port) }

    /// - Parameter setup: Python that changes `context`.
    init(_ pair: CertificatePair, setup: String = "") throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-u", "-c", Self.script(setup), pair.certificate, pair.key]
        process.standardOutput = log
        process.standardError = FileHandle.nullDevice
        try process.run()
        var first = ""
        while !first.hasSuffix("\n") {
            let byte = log.fileHandleForReading.readData(ofLength: 1)
            guard !byte.isEmpty else { throw Unavailable(output: first) }
            first += String(decoding: byte, as: UTF8.self)
        }
        port = Int(first.dropLast()) ?? 0
    }

    deinit { process.kill() }

    /// Ends the server and tells what its connections received.
    func received() -> String {
        process.kill()
        return String(decoding: log.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    }

    private static func script(_ setup: String) -> String {
        """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        \(setup)
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1])
        while True:
            plain, _ = listener.accept()
            tls = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
            try:
                tls.do_handshake()
                while True:
                    data = tls.recv(65536)
                    if not data: break
                    sys.stdout.write(data.decode("latin-1"))
                    tls.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 2\\r\\n\\r\\nok")
            except OSError:
                # Unread bytes would make a reset of the end, and the alert would be lost.
                rest = socket.socket(fileno=tls.detach())
                rest.settimeout(1)
                try:
                    rest.shutdown(socket.SHUT_WR)
                    while rest.recv(65536): pass
                except OSError: pass
                rest.close()
            tls.close()
        """
    }
}

extension Process {
    /// A child of a test's thread has the signals blocked that this thread has, SIGTERM among them.
    func kill() {
        Glibc.kill(processIdentifier, SIGKILL)
        waitUntilExit()
    }
}

/// A certificate and its key in files.
struct CertificatePair {
    let certificate: String
    let key: String
}

/// Certificates of many kinds, made by openssl in a folder that goes with the last reference.
final class TestCertificates {
    struct Failed: Error { let arguments: [String] }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "authctl-tls-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appending(path: name).path }

    /// - Parameters:
    ///   - names: the subjectAltName, such as `IP:127.0.0.1`.
    ///   - period: openssl's start and end, such as `20200101000000Z`.
    func selfSigned(
        _ names: String = "IP:127.0.0.1", period: (String, String) = ("20250101000000Z", "20450101000000Z")
    ) throws -> CertificatePair {
        let name = UUID().uuidString
        let pair = CertificatePair(certificate: path("\(name).pem"), key: path("\(name).key"))
        let config = path("\(name).cnf")
        try """
        [ca]
        default_ca = d
        [d]
        database = \(path("\(name).txt"))
        new_certs_dir = \(folder.path)
        rand_serial = yes
        default_md = sha256
        policy = p
        x509_extensions = e
        [p]
        commonName = supplied
        [e]
        subjectAltName = \(names)
        basicConstraints = CA:TRUE
        """.write(toFile: config, atomically: true, encoding: .utf8)
        try Data().write(to: URL(fileURLWithPath: path("\(name).txt")))
        try openssl(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", pair.key,
            "-out",
            path("\(name).csr"), "-subj", "/CN=127.0.0.1")
        try openssl(
            "ca", "-batch", "-selfsign", "-config", config, "-keyfile", pair.key, "-in", path("\(name).csr"), "-out",
            pair.certificate, "-notext", "-startdate", period.0, "-enddate", period.1)
        return pair
    }

    private func openssl(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failed(arguments: arguments) }
    }
}
