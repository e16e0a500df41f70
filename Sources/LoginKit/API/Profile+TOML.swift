import Secrets

extension Profile {
    /// Makes a profile from the keys that a `[profiles.NAME]` table of `config.toml` has, as authctl-config(5) describes them:
    ///
    ///     try Profile("blog", toml: """
    ///         url    = "https://blog.example"
    ///         method = "basic"
    ///         verify = { get = "/me", username = "/name" }
    ///         """)
    ///
    /// - Throws: `LoginError.Code.usage`, with the line, for text that is not such a table.
    public init(_ name: String, toml: String) throws(LoginError) {
        self = try LoginError.catching { () throws(LoginFault) in
            do throws(UsageFault) {
                let offered = try OfferedProfiles(Secret(toml), from: "profile \(name)", name: name)
                let decoder = ProfileDecoder(folder: "/", home: nil)
                guard let table = offered.profiles.first?.table else {
                    throw .badConfig(file: "profile \(name)", path: nil, line: nil, problem: "is empty")
                }
                return try decoder.profile(named: name, table)
            } catch {
                throw .usage(error)
            }
        }
    }
}
