import Foundation
@testable import LoginTestSupport
import Testing

/// What is packed and installed: one version everywhere, a list of what is in it, and no compiler on the way.
@Suite(.onOwnThreads) struct PackageTests {
    private func run(
        _ program: String, _ arguments: [String] = [], with variables: [String: String] = [:]
    ) throws -> CommandResult {
        let environment = ProcessInfo.processInfo.environment.merging(variables) { $1 }
        let spec = ChildSpec(program, arguments, environment: environment, directory: Repository.path)
        return try Command.run(spec, within: 600)
    }

    private func text(_ file: String) throws -> String {
        try String(contentsOfFile: "\(Repository.path)/\(file)", encoding: .utf8)
    }

    @Test func `the program, the changelog, the packages, the manual and the README have one version`() throws {
        let packed = try run("\(Repository.path)/scripts/version")
        try #require(packed.code == 0, "\(packed.error)")
        let version = packed.output.trimmingCharacters(in: .newlines)
        #expect(try run(BuiltProducts.path(of: "authctl"), ["--version"]).output == "authctl \(version)\n")
        #expect(try text("CHANGELOG.md").firstMatch(of: #/\n## ([0-9.]+) - /#)?.1 == version[...])
        #expect(try text("README.md").contains("authctl_\(version)_amd64.deb"))
        #expect(try text("README.md").contains("authctl-\(version)-linux-x86_64-glibc"))
        for page in try FileManager.default.contentsOfDirectory(atPath: "\(Repository.path)/man") {
            #expect(try text("man/\(page)").contains("\n.Os authctl \(version)\n"), "\(page)")
        }
    }

    private struct Document: Decodable {
        struct Package: Decodable {
            struct Reference: Decodable { let referenceLocator: String }
            let name: String
            let versionInfo: String?
            let licenseDeclared: String
            let externalRefs: [Reference]
        }
        struct Relationship: Decodable {
            let spdxElementId: String
            let relationshipType: String
        }
        let packages: [Package]
        let relationships: [Relationship]
    }

    private struct Pins: Decodable {
        struct Pin: Decodable {
            struct State: Decodable { let version: String }
            let identity: String
            let state: State
        }
        let pins: [Pin]
    }

    @Test(
        RealServer.require("jq"), RealServer.requirePackage("spdx_tools"), arguments: ["authctl", "demo-backend"])
    func `the SBOM is valid SPDX, and has every package that is linked, with its version`(program: String) throws {
        let made = try run("\(Repository.path)/scripts/sbom", [BuiltProducts.path(of: program)])
        try #require(made.code == 0, "\(made.error)")
        let home = try TemporaryHome()
        let file = home.path + "/authctl.spdx.json"
        try Data(made.outputBytes).write(to: URL(filePath: file))
        let checked = try run(
            try #require(RealServer.packagesPython), ["-m", "spdx_tools.spdx.clitools.pyspdxtools", "--infile", file])
        #expect(checked.code == 0, "\(checked.output)\(checked.error)")

        let document = try JSONDecoder().decode(Document.self, from: Data(made.outputBytes)),
            packages = document.packages
        let named = Dictionary(uniqueKeysWithValues: packages.map { ($0.name, $0) })
        let pins = try JSONDecoder().decode(Pins.self, from: Data(text("Package.resolved").utf8)).pins
        #expect(pins.count > 2)
        // FlyingFox, and nothing else of these, is in the demo server.
        let isDemo = program == "demo-backend"
        for pin in pins {
            let version = (pin.identity == "flyingfox") == isDemo ? pin.state.version : nil
            #expect(named[pin.identity]?.versionInfo == version, "\(pin.identity)")
        }
        let parts = isDemo ? ["swift-foundation-icu"] : ["toml++", "libreadline", "libcurl", "libcrypto"]
        for name in parts + ["swift-foundation", "libstdc++", "libsodium"] {
            #expect(named[name] != nil, "\(name)")
        }
        #expect(packages.allSatisfy { !$0.licenseDeclared.isEmpty })
        #expect(
            packages.allSatisfy { $0.externalRefs.count == 1 && $0.externalRefs[0].referenceLocator.hasPrefix("pkg:") })
        // Which version of a library is opened is not known before.
        let opened = document.relationships.filter { $0.relationshipType.hasSuffix("DEPENDENCY_OF") }
        #expect(opened.count > (isDemo ? 0 : 5))
        for package in packages
        where !opened.contains(where: {
            $0.spdxElementId.hasPrefix("SPDXRef-\(package.name.replacing("_", with: "-")).so")
        }) {
            #expect(package.versionInfo?.isEmpty == false, "\(package.name)")
        }
    }

    @Test(RealServer.require("jq")) func `the SBOM and the build refuse a program that only has Swift's name`() throws {
        let home = try TemporaryHome()
        let swift = try home.write("#!/bin/sh\necho python-swiftclient 4.1.0\n", to: "tools/swift")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift)
        let path = ["PATH": "\(home.path)/tools:\(ProcessInfo.processInfo.environment["PATH"] ?? "")"]
        let made = try run("\(Repository.path)/scripts/sbom", [BuiltProducts.path(of: "authctl")], with: path)
        #expect(made.code == 1 && made.output.isEmpty && made.error.contains("which Swift"), "\(made.error)")
        let needed = try run("\(Repository.path)/scripts/deps", ["build"], with: path)
        #expect(needed.code == 1 && needed.error.contains("OpenStack"), "\(needed.error)")
    }

    @Test func `make install needs neither a compiler nor a script, and make uninstall leaves nothing`() throws {
        let home = try TemporaryHome()
        let tools = home.path + "/tools"
        try FileManager.default.createDirectory(atPath: tools, withIntermediateDirectories: false)
        for tool in ["chmod", "install", "ln", "rm", "rmdir"] {
            let path = try #require(RealServer.path(of: tool))
            try FileManager.default.createSymbolicLink(atPath: "\(tools)/\(tool)", withDestinationPath: path)
        }
        let make = try #require(RealServer.path(of: "make"))
        let places = [
            "AUTHCTL=\(try BuiltProducts.path(of: "authctl"))",
            "DEMO_SERVER=\(try BuiltProducts.path(of: "demo-backend"))", "DESTDIR=\(home.path)/to",
            "PREFIX=/usr",
        ]
        let installed = try run(make, ["install", "install-demo"] + places, with: ["PATH": tools, "MAKEFLAGS": ""])
        try #require(installed.code == 0, "\(installed.error)")
        let share = "\(home.path)/to/usr/share"
        for file in [
            "../bin/authctl", "../bin/docker-credential-authctl", "man/man1/authctl.1", "man/man5/authctl-config.5",
            "authctl/presets/rabbitmq.toml", "bash-completion/completions/authctl", "zsh/site-functions/_authctl",
            "fish/vendor_completions.d/authctl.fish", "doc/authctl/README.md", "doc/authctl/CHANGELOG.md",
            "doc/authctl/LICENSE", "doc/authctl/copyright", "../bin/authctl-demo", "man/man1/authctl-demo.1",
        ] {
            #expect(FileManager.default.fileExists(atPath: "\(share)/\(file)"), "\(file)")
        }
        let version = try run("\(home.path)/to/usr/bin/authctl", ["--version"]).output
        #expect(version == (try run(BuiltProducts.path(of: "authctl"), ["--version"]).output))

        #expect(try run(make, ["uninstall"] + places, with: ["PATH": tools, "MAKEFLAGS": ""]).code == 0)
        let left = try #require(FileManager.default.enumerator(atPath: "\(home.path)/to"))
            .compactMap { $0 as? String }.filter { $0.contains("authctl") }
        #expect(left.isEmpty)
    }
}
