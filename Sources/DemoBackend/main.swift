import Foundation

signal(SIGPIPE, SIG_IGN)
do {
    let options = try Options(CommandLine.arguments.dropFirst())
    switch options.task {
    case .printAccounts: print(Account.table)
    case .printProfiles: print(Profiles.toml(port: options.port), terminator: "")
    case .printOAuthProfiles: print(OAuthProfiles.toml(port: options.port), terminator: "")
    case .printHelp: print(Options.help + "\nroutes:\n  " + Backend.routes.joined(separator: "\n  "))
    case .serve: try await Server(options: options).run()
    }
} catch let mistake as Options.Mistake {
    try? FileHandle.standardError.write(contentsOf: Data("demo-backend: \(mistake.words)\n\n\(Options.help)".utf8))
    exit(2)
} catch {
    try? FileHandle.standardError.write(contentsOf: Data("demo-backend: \(error.localizedDescription)\n".utf8))
    exit(1)
}
