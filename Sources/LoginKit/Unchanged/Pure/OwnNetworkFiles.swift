/// The system's files that a command finds replaced in a network of its own.
enum OwnNetworkFiles {
    /// Those with the authorities: of Debian, Fedora, openSUSE, and what OpenSSL's sources say.
    static let authorities = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem", "/etc/pki/tls/cert.pem",
    ]
    /// The same for Java.
    static let javaStores = ["/etc/ssl/certs/java/cacerts", "/etc/pki/java/cacerts"]
    /// The sockets of nscd, systemd-resolved and Avahi, which answer for names past the resolver.
    static let hidden = [
        "/run/nscd/socket", "/run/systemd/resolve/io.systemd.Resolve",
        "/run/systemd/resolve/io.systemd.Resolve.Monitor",
        "/run/avahi-daemon/socket",
    ]

    /// The settings of names (resolv.conf(5), hosts(5)).
    static let settings = [
        (place: "/etc/resolv.conf", text: "nameserver 127.0.0.1\n"),
        (place: "/etc/hosts", text: "127.0.0.1 localhost\n"),
    ]
    static let nameServices = "/etc/nsswitch.conf"

    /// The same (nsswitch.conf(5)) for hosts that are looked up in a file and by the resolver alone; users and groups stay.
    static func nameServices(from text: String) -> String {
        let others = text.split(separator: "\n").filter { !$0.drop { $0 == " " || $0 == "\t" }.hasPrefix("hosts:") }
        return (others + ["hosts: files dns"]).map { $0 + "\n" }.joined()
    }
}
