import Foundation
@testable import LoginKit
@testable import LoginTestSupport

/// A TLS server that counts the bytes of HTTP that reach it, in a process of its own: Python's ssl module, so that what
/// is tested does not also do the testing.
final class TLSServer {
    struct Unavailable: Error { let output: String }

    private let process = Process()
    private let log = Pipe()
    let port: Int

    var origin: Origin { Origin(scheme: "https", host: "127.0.0.1", port: port) }

    /// - Parameter setup: Python that changes `context`; `after(COUNT, CERTIFICATE, KEY)` has connections after so many
    ///   see another certificate.
    /// - Parameters:
    ///   - answer: what every request is answered with, with LF for CR LF.
    ///   - ending: Python that is run after an answer.
    init(
        _ pair: CertificatePair, setup: String = "", answer: String = "HTTP/1.1 200 OK\nContent-Length: 2\n\nok",
        ending: String = "pass"
    ) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = [
            "-u", "-c", Self.script(setup, ending), pair.certificate, pair.key,
            answer.replacingOccurrences(of: "\n", with: "\r\n"),
        ]
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

    private static func script(_ setup: String, _ ending: String) -> String {
        """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        # A server may have keys of any strength: what the client takes is what is tested.
        context.set_ciphers("DEFAULT:@SECLEVEL=0")
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        later = []
        def after(count, certificate, key):
            other = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            other.load_cert_chain(certificate, key)
            later.append((count, other))
        \(setup)
        connections = 0
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1])
        while True:
            plain, _ = listener.accept()
            for count, other in later:
                if connections >= count: context = other
            connections += 1
            tls = context.wrap_socket(plain, server_side=True, do_handshake_on_connect=False)
            try:
                tls.do_handshake()
                while True:
                    data = tls.recv(65536)
                    if not data: break
                    sys.stdout.write(data.decode("latin-1"))
                    tls.sendall(sys.argv[3].encode())
                    \(ending)
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
