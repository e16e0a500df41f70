/// What sh runs on the machine of an `authctl ssh`, which needs no more than sh, mktemp and the tools of any POSIX system.
enum SSHScripts {
    /// Begins the line that names the folder, among what a login shell may print.
    static let mark = "authctl-ssh="

    /// Reads as standard input of the first channel, and lasts as long as that: makes a folder with `start` in it, and removes it at the
    /// end. Its name has the number of the shell that removes it, so that the next run finds what was left behind.
    static func folder(authority: String, start: String) -> String {
        let authority = ShellCommand.quoted(authority)
        // In a line of printf it would be in the arguments of a process where that is no builtin: mksh has none.
        var end = "END"
        while start.contains(end) { end += "_" }
        return """
            umask 077
            _r=${XDG_RUNTIME_DIR-}
            [ -d "$_r" ] && [ -w "$_r" ] || _r=${TMPDIR:-/tmp}
            for _f in "$_r"/authctl-ssh.*; do
              _p=${_f#"$_r"/authctl-ssh.}
              [ -d "$_f" ] && [ ! -L "$_f" ] && [ -O "$_f" ] && ! kill -0 "${_p%%.*}" 2>/dev/null && rm -rf "$_f"
            done
            _d=$(mktemp -d "$_r/authctl-ssh.$$.XXXXXX") || exit
            trap 'rm -rf "$_d"' 0
            trap exit 1 2 13 15
            printf %s \(authority) >"$_d/authority.pem" || exit
            cat >"$_d/start" <<'\(end)' || exit
            \(start)
            \(end)
            printf '\\n%s%s\\n' \(mark) "$_d"
            cat >/dev/null

            """
    }

    /// Sets the variables, and becomes the command or a shell. It gets the port of the proxy as its argument; what cannot be made ends it
    /// with 101, as exec.
    /// - Parameters:
    ///   - password: of the proxy. It stands here alone, and the file is gone before the command begins.
    ///   - host: of the service.
    ///   - fileName: of the authority, in a folder of such.
    ///   - settings: further variables.
    ///   - command: a line for the login shell there; `nil` for a shell.
    static func start(
        password: String, host: String, fileName: String, settings: [(name: String, value: String)], command: String?
    ) -> String {
        let places = OwnNetworkFiles.authorities.joined(separator: " ")
        let variables = UnchangedVariables.table.map {
            lines(for: $0.names, $0.meaning, host: host, fileName: fileName)
        }
        return """
            rm -f "$0"
            trap 'exit 101' 0
            set -e
            _d=${0%/*} _u=http://authctl:\(password)@127.0.0.1:$1
            bundle() {
              {
                for _g in "$2" "$2"/*.[0-9]; do [ ! -r "$_g" ] || cat "$_g" 2>/dev/null || :; echo; done
                cat "$_d/authority.pem"
              } >"$_d/$1"
            }
            take() {
              eval "_f=\\${$1-}"
              _n=$2
              if [ "$_f" ]; then
                _n=$1.pem
                bundle "$_n" "$_f"
              fi
              export "$1=$_d/$_n"
            }
            for _f in \(places) /dev/null; do [ ! -r "$_f" ] || break; done
            bundle authorities.pem "$_f"
            : "${npm_config_cafile=${NPM_CONFIG_CAFILE-}}" "${NPM_CONFIG_CAFILE=$npm_config_cafile}"
            \(variables.joined())\
            \(settings.map { "export \($0.name)=\(ShellCommand.quoted($0.value))\n" }.joined())\
            # Else bash, if it takes itself for one that sshd has started, reads its files once more.
            export SHLVL=1
            trap - 0
            exec "${SHELL:-/bin/sh}" \(command.map { "-c \(ShellCommand.quoted($0))" } ?? "-l")

            """
    }

    /// What `AuthorityFiles` does on this machine.
    private static func lines(
        for names: [String], _ meaning: UnchangedVariables.Meaning, host: String, fileName: String
    ) -> String {
        let each = { (line: String) in "for _n in \(names.joined(separator: " ")); do \(line); done\n" }
        switch meaning {
        case .proxy: return each("export \"$_n=$_u\"")
        case .word(let word): return each("export \"$_n=\(word)\"")
        case .authorities: return names.map { "take \($0) authorities.pem\n" }.joined()
        case .addedAuthority: return names.map { "take \($0) authority.pem\n" }.joined()
        case .authorityFolder:
            return "mkdir \"$_d/certs\"\ncat \"$_d/authority.pem\" >\"$_d/certs/\(fileName)\"\n"
                + names.map { "export \($0)=\"$_d/certs:${\($0):-/etc/ssl/certs}\"\n" }.joined()
        case .settings(let file, let before, let line):
            return """
                { cat "${\(names[0]):-\(before)}" 2>/dev/null || :; printf '\\n%s\\n' \(filled(line)); } >"$_d/\(file)"
                \(names.map { "export \($0)=\"$_d/\(file)\"\n" }.joined())
                """
        case .settingsFolder(let file, let text):
            return "mkdir \"$_d/php\"\nprintf %s \(filled(text)) >\"$_d/php/\(file)\"\n"
                + names.map { "export \($0)=\"${\($0)-}:$_d/php\"\n" }.joined()
        case .exceptions:
            return """
                _k=127.0.0.1,localhost,::1
                set -f
                IFS=", $(printf '\\t')"
                for _f in ${no_proxy-${NO_PROXY-}}; do
                  _n=${_f#\\*}
                  _n=${_n#.}
                  _m=$(printf %s "${_n%%:*}" | tr A-Z a-z)
                  case \(ShellCommand.quoted(".\(host):")) in
                    *."${_m%.}":) ;;
                    *) _k=$_k${_n:+,$_f} ;;
                  esac
                done
                unset IFS
                set +f
                \(each("export \"$_n=$_k\""))
                """
        // Java sends no password to a proxy.
        case .java: return ""
        }
    }

    /// `%` is the file with the authorities.
    private static func filled(_ text: String) -> String {
        text.split(separator: "%", omittingEmptySubsequences: false).map { ShellCommand.quoted(String($0)) }
            .joined(separator: "\"$_d/authorities.pem\"")
    }
}
