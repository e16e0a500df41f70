import ArgumentParser

/// `authctl help environment`: ENVIRONMENT of authctl(1) in short.
struct EnvironmentHelpCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "The environment variables; see man authctl.",
        discussion: table,
        shouldDisplay: false)

    func run() throws {
        throw CleanExit.helpRequest(self)
    }

    /// A variable that authctl reads, or several of a kind, and what it means. authctl(1) has the same ones in the same order, and
    /// begins with the same sentence. It is written out, in lines that fit into 80 columns, since every start would otherwise put it
    /// together.
    static let table = """
        An option overrides its variable, and a variable overrides the configuration.


          AUTHCTL_CONFIG
              As --config.
          AUTHCTL_PROFILE
              As -P.
          AUTHCTL_VERIFY_URL
              The URL for authctl login, if it has no argument.
          AUTHCTL_USERNAME, AUTHCTL_PASSWORD, AUTHCTL_PASSWORD_FILE
              The user name, the password, or a file with the password on one line.
          AUTHCTL_OTP
              The code of a second factor, for the same profile.
          AUTHCTL_METHOD, AUTHCTL_STORE, AUTHCTL_PERSIST, AUTHCTL_PROXY,
          AUTHCTL_CA_FILE
              As the options --method, --store, --persist, --proxy and --ca-file of
              authctl-login(1).
          AUTHCTL_STORE_PASSPHRASE_FILE
              A file with the passphrase of the encrypted store on one line, closed to
              other users.
          AUTHCTL_NO_PROMPT
              Anything but 0 means --no-prompt.
          AUTHCTL_MASK
              Shown for each character of a password at the prompt; an empty value
              shows nothing.
          BROWSER
              The program for browser logins, as --browser of authctl-login(1).
          https_proxy, HTTPS_PROXY, all_proxy, ALL_PROXY
              The proxy for https; plain http and this machine never go through it.
          no_proxy, NO_PROXY
              What is reached without that proxy.
          KRB5CCNAME, KRB5_CONFIG
              The Kerberos ticket cache and configuration for negotiate; see
              kerberos(7).
          NO_COLOR, TERM
              No colors if the first is set or the second is dumb.
          XDG_CONFIG_HOME, XDG_STATE_HOME
              Parent folders of the configuration and the state; by default
              ~/.config and ~/.local/state.
          XDG_RUNTIME_DIR
              Parent folder of the sockets of exec --serve; without it they are in
              the state.

        """
}
