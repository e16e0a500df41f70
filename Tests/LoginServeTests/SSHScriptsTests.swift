import Foundation
@testable import LoginTestSupport
import Testing

@testable import LoginKit

/// The scripts of `authctl ssh`, run here without ssh.
@Suite struct `The scripts for another machine` {
    private static let shells = ["sh", "bash"]

    /// What a command prints there, and the code that is told of it; then what is left in the folder of runs.
    private func run(
        _ command: String, in shell: String, _ environment: [String: String] = [:],
        settings: [(name: String, value: String)] = []
    ) throws -> CommandResult {
        let home = try TemporaryHome()
        let start = SSHScripts.start(
            password: "abc", host: "api.example.test", fileName: "1234.0", settings: settings, command: command)
        try home.write(SSHScripts.folder(authority: "RUN'S\n", start: start), to: "keeper")
        for name in ["own.pem", "own/8d33f237.0"] { try home.write("OWN\n", to: name) }
        try FileManager.default.createDirectory(atPath: home.path + "/run", withIntermediateDirectories: false)
        // The second half is what ssh's channels are.
        let script = """
            cd && mkfifo in && : >out
            $S -s <in >out &
            exec 3>in && cat keeper >&3
            until grep -q ^authctl-ssh= out; do sleep 0.02; done
            folder=$(sed -n 's/^authctl-ssh=//p' out)
            stat -c %a "$folder"
            $S "$folder/start" 4321; echo "code $?"
            exec 3>&-; wait; ls run
            """
        let set = ["S": shell, "XDG_RUNTIME_DIR": home.path + "/run", "SHELL": "/bin/sh"]
        let all = home.environment.merging(set.merging(environment) { $1 }) { $1 }
        return try Command.run(ChildSpec("/bin/sh", ["-c", script], environment: all))
    }

    @Test(arguments: shells) func `set every variable but Java's, in a folder that goes with the connection`(
        shell: String
    ) throws {
        let names = UnchangedVariables.table.filter { $0.meaning != .java }.flatMap(\.names)
        let told = names.map { "echo \"\($0)=$\($0)\"; " }.joined()
        let result = try run(told + "exit 7", in: shell)
        #expect(result.output.hasPrefix("700\n") && result.output.hasSuffix("\ncode 7\n"), "\(result)")
        #expect(names.allSatisfy { !result.output.contains("\n\($0)=\n") }, "\(result.output)")
        #expect(result.output.contains("\nall_proxy=http://authctl:abc@127.0.0.1:4321\n"))
        #expect(result.output.contains("\nno_proxy=127.0.0.1,localhost,::1\n"))
        #expect(result.error.isEmpty, "\(result.error)")
    }

    @Test(arguments: shells) func `add the authority of the run to what the variables named there`(
        shell: String
    ) throws {
        let former = [
            "CURL_CA_BUNDLE": "own.pem", "REQUESTS_CA_BUNDLE": "own", "npm_config_cafile": "own.pem",
            "NODE_EXTRA_CA_CERTS": "missing.pem", "SYSTEM_WGETRC": "own.pem",
            "PHP_INI_SCAN_DIR": "/etc/php",
            "NO_PROXY": "a.example, *, .Example.test,api.example.test:443\ttest. 10.0.0.0/8",
        ]
        let result = try run(
            """
            cat "$CURL_CA_BUNDLE" "$REQUESTS_CA_BUNDLE" "$NPM_CONFIG_CAFILE" "$NODE_EXTRA_CA_CERTS"
            tail -n 1 "$SSL_CERT_FILE"; tail -n 1 "$SYSTEM_WGETRC"
            cat "${SSL_CERT_DIR%%:*}/1234.0"; echo "${PHP_INI_SCAN_DIR%%:*}"; cat "${PHP_INI_SCAN_DIR#*:}"/*
            echo "$NO_PROXY"; echo "$TOKEN"; [ "$SSL_CERT_FILE" = "$PIP_CERT" ] && echo same
            """, in: shell, former, settings: [("TOKEN", "it's \\ \"x\"")])
        let lines = result.output.split(separator: "\n").map {
            $0.replacing(#/=.*/authctl-ssh\.[0-9]+\.\w+/#, with: "=FOLDER")
        }
        #expect(
            lines == [
                "700", "OWN", "RUN'S", "OWN", "RUN'S", "OWN", "RUN'S", "RUN'S", "RUN'S",
                "ca_certificate=FOLDER/authorities.pem", "RUN'S", "/etc/php",
                "curl.cainfo=FOLDER/authorities.pem", "openssl.cafile=FOLDER/authorities.pem",
                "127.0.0.1,localhost,::1,a.example,10.0.0.0/8", "it's \\ \"x\"", "same", "code 0",
            ], "\(result.output)\(result.error)")
    }
}
