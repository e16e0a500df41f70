import ArgumentParser

/// `authctl help tasks`: TASKS of authctl(1), without its links.
struct TasksHelpCommand: HelpPage {
    static let configuration = CommandConfiguration(
        commandName: "tasks",
        abstract: "What people want to do, and how.",
        discussion: list,
        shouldDisplay: false)

    /// A task, the command or line that does it, and the page and section about it. authctl(1) has the same ones
    /// in the same order. Written out, since every start would otherwise put it together.
    static let list = """
        NAME is the name of a profile. What is not a command goes in a file; the page
        says which.

        LOG IN

        log in to a service for the first time
          authctl login https://wiki.example/api/me
          → man authctl, QUICK START
        find out how a site logs people in
          authctl discover --save https://wiki.example/
          → man authctl-discover, EXAMPLES
        log in with OAuth in a browser
          method = "oauth"
          → man authctl-config, A browser login with OAuth
        log in with single sign-on (SSO, SAML), a passkey or a captcha
          method = "browser"
          → man authctl-config, A site behind single sign-on
        log in over ssh without a browser, with a device code
          authctl login NAME --device
          → man authctl-login, Browser logins
        give a code from an authenticator app (2FA, MFA, TOTP)
          authctl login NAME --otp-command "pass otp wiki"
          otp-command = "pass otp wiki"
          → man authctl-login, Second factor
          → man authctl-config, A password, then a code
        log in to a form with a CSRF token
          authctl login https://admin.example/  # finds the form; if it does not:
          page = "/login/"
          → man authctl-config, A login page with a CSRF token
        send an API key in its own header
          session = { header = "X-Api-Key: {token}" }
          → man authctl-config, A personal access token or API key
        give the password or token in a file or a pipe
          authctl login NAME -u ada --password-stdin < FILE
          → man authctl-login, OPTIONS
        take the password from a password manager
          authctl login NAME -u ada --password-command "pass show wiki"
          → man authctl-login, EXAMPLES
        take over a login from my browser (copy as cURL, cookies)
          authctl login NAME --paste
          → man authctl-login, OPTIONS
        move a password out of .netrc
          authctl login NAME --netrc
          → man authctl-login, OPTIONS
        send an API key beside the session
          header = ["Authorization: Bearer {token}", "X-Api-Key: {secret:API key}"]
          → man authctl-config, Templates
        use a client certificate (mTLS)
          certificate = "ledger.pem"
          → man authctl-config, A client certificate, and your own CA
        use a smartcard or a hardware key (PKCS#11): not possible
          certificate = "ledger.pem"  # a file, or none
          → man authctl-config, A client certificate, and your own CA
        sign each request (AWS SigV4, S3, HMAC): not possible
          authctl login NAME  # a password, a token or a session, or none
          → man authctl-config, EXAMPLES
        accept a self-signed certificate (there is no --insecure)
          authctl login NAME --trust-fingerprint sha256:HEX
          → man authctl-trust, EXAMPLES
        go through a proxy
          proxy = "http://proxy.example:3128"
          → man authctl-config, Defaults for every profile, such as a proxy

        USE THE LOGIN IN OTHER PROGRAMS

        use curl, wget or a Python script with my login
          authctl token --header NAME | curl -H @- URL
          authctl exec -P NAME --serve -- sh -c 'wget "${AUTHCTL_SERVE_URL}posts"'
          → man authctl-token, EXAMPLES
          → man authctl-exec, EXAMPLES
        send one request, such as a POST with JSON
          authctl request POST /posts -P NAME --json @post.json
          → man authctl-request, EXAMPLES
        upload a file, by PUT or as a multipart form
          authctl request PUT /files/a.zip -P NAME --data-binary @a.zip
          curl -K "$AUTHCTL_CURL_CONFIG" -F file=@a.zip URL  # in exec --curl-config
          → man authctl-request, EXAMPLES
          → man authctl-exec, EXAMPLES
        run a program with my token in its environment
          authctl exec -P NAME --env TOKEN -- ./deploy
          → man authctl-exec, EXAMPLES
        git clone and git push with my login
          git config --global credential.https://HOST.helper '!authctl git-credential'
          → man authctl-git-credential, EXAMPLES
        docker login, docker pull and podman with my login
          { "credHelpers": { "registry.example:5000": "authctl" } }
          → man docker-credential-authctl, EXAMPLES
        use kubectl with my login
          authctl token NAME --as exec-credential
          → man authctl, Kubernetes
        give the cookies of a login to wget, curl or yt-dlp
          yt-dlp --cookies <(authctl token NAME --as cookies) URL
          → man authctl-token, EXAMPLES
        start Playwright's browser logged in
          authctl token NAME --as playwright >state.json
          → man authctl-token, EXAMPLES
        use a login in a Python script
          authctl exec -P NAME --serve -- python3 report.py
          authctl token NAME --as headers  # or its headers, as JSON
          → man authctl, Python
        give a coding agent or rclone its key by a command
          "apiKeyHelper": "authctl token NAME"
          → man authctl, Key commands
        pip and uv with my login, as their keyring provider
          pip install --keyring-provider subprocess PACKAGE
          → man authctl, pip and uv
        npm with my login
          authctl exec -P NAME --env NPM_TOKEN -- npm publish
          → man authctl, npm and cargo
        cargo with my login, as its credential provider
          credential-provider = ["cargo:token-from-stdout", "authctl", "token", "NAME"]
          → man authctl, npm and cargo
        give an MCP client, such as an editor or an agent, the login
          { "mcpServers": { "NAME": { "command": "authctl", "args": ["mcp", "NAME"] } } }
          → man authctl-mcp, EXAMPLES
        let a coding agent only read, at a local address
          authctl exec -P NAME --serve --read-only -- agent
          curl "${AUTHCTL_SERVE_URL}posts"  # in the agent; the URL ends with a slash
          → man authctl-serve, A sandbox for an agent
        run gh, pip, npm or an SDK without a token in its environment
          authctl exec -P NAME --unchanged -- gh api user
          → man authctl-exec, An unchanged command
        use an SDK that takes no base URL
          authctl exec -P NAME --unchanged -- python3 report.py
          → man authctl-exec, An unchanged command
        git and gh on a build machine, over ssh
          authctl ssh -P NAME build.example -- git -C src push
          → man authctl-ssh, EXAMPLES
        let gh or an agent read GitHub, and ask before it writes
          authctl exec -P NAME --unchanged --read-only --ask 'GRAPHQL mutation *' -- gh
          authctl approve NAME  # in another terminal
          → man authctl-serve, An agent that reads GitHub and asks before it writes
        let an agent read a service, and ask before it writes
          authctl exec -P NAME --unchanged --read-only --ask 'POST /**' -- agent
          authctl approve NAME  # in another terminal
          → man authctl-serve, Questions in another terminal

        SCRIPTS AND JOBS

        use a login in a Makefile
          authctl request POST /posts -P NAME --json @post.json  # in a rule
          → man authctl, make
        fetch all pages of an API
          authctl request -i /posts -P NAME  # the header Link names the next one
          → man authctl-request, EXAMPLES
        use two accounts in one script
          authctl request /me -P NAME -u ada
          authctl request /me -P NAME -u grace
          → man authctl-switch, EXAMPLES
        give docker build a token
          authctl exec -P NAME --env T -- docker build . --secret id=token,env=T
          → man authctl, Containers
        show in a shell prompt who is logged in
          authctl whoami NAME --offline -q --no-prompt
          → man authctl, Shell prompts
        tell "not logged in" from "server down" in a script
          authctl whoami -q NAME  # 4: not logged in; 6 or 12: try later
          → man authctl, EXIT STATUS
        monitor my logins, and be told before one ends
          authctl status -q  # 0 if each of them works
          → man authctl, Monitoring
        use a login in a cron job
          17 3 * * *  authctl exec -q -P NAME -- backup
          → man authctl, cron
        log in from GitHub Actions
          authctl exec --ephemeral -P NAME --curl-config -- ./deploy
          → man authctl, GitHub Actions
        log in from GitLab CI
          identity = { env = "ID_TOKEN" }
          → man authctl, GitLab CI
        log in inside a container, from a Dockerfile
          ENV AUTHCTL_STORE=none
          → man authctl, Containers
        give a systemd service a password
          LoadCredential=blog:/etc/authctl/blog.password
          → man authctl, systemd
        log a job in with a client ID and secret
          grant = "client-credentials"
          → man authctl-config, A job with a client secret

        ACCOUNTS AND STORES

        see which services I am logged in to
          authctl status
          → man authctl-status, DESCRIPTION
        add a second account, and switch accounts
          authctl login NAME -u grace && authctl switch NAME ada
          → man authctl-switch, EXAMPLES
        share a profile with others
          authctl profile show NAME >NAME.toml
          authctl profile add NAME.toml
          → man authctl-profile, EXAMPLES
        keep the login over a reboot
          authctl store init file  # a passphrase each time, or --key-file FILE
          authctl store move keyring file
          → man authctl-store, EXAMPLES
        move my logins to another machine, or back them up
          authctl store init file  # with a passphrase
          authctl store move keyring file  # then copy two folders
          → man authctl-store, EXAMPLES
        stay logged in when the session expires
          keep-password = true
          → man authctl-config, Keys of a profile
        have one login on several servers
          authctl store init shared:etcd
          authctl store init shared:folder  # one that all mount; PostgreSQL; or ssh
          → man authctl-store, SHARED STORES
          → man authctl-serve, On another machine

        WHEN SOMETHING IS WRONG

        find out why my login fails
          authctl login NAME --explain
          authctl profile test NAME
          → man authctl-login, OPTIONS
          → man authctl-profile, DESCRIPTION
        find out why I am logged out
          authctl whoami NAME --explain
          → man authctl-whoami, Asking for help
        log in again after the password was changed at the service
          authctl login NAME --force
          → man authctl-login, OPTIONS

        LOG OUT AND REMOVE

        log out of one service
          authctl logout NAME
          → man authctl-logout, EXAMPLES
        log out everywhere
          authctl logout --all
          → man authctl-logout, EXAMPLES
        delete a profile
          authctl logout NAME --all
          authctl profile remove NAME
          → man authctl-profile, DESCRIPTION
        uninstall authctl and remove everything
          authctl logout --all
          sudo apt purge authctl  # apt repository or tarball: see FILES
          rm -r ~/.config/authctl ~/.local/state/authctl
          → man authctl, FILES

        """
}
