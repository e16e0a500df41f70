import Foundation
@testable import LoginTestSupport
import Testing

/// A real browser and the address of an `exec --serve`: a page of another site gets nowhere, although it knows the address.
@Suite(.onOwnThreads, RealServer.requirePackage("starlette"), RealServer.require("chromium"))
struct `A browser beside an exec that serves` {
    private static let script = #"""
        mkdir site
        cat > site/index.html <<END
        <script>
        for (const mode of ["no-cors", "cors"]) {
            fetch("${AUTHCTL_SERVE_URL}echo", {method: "POST", body: "x", mode}).catch(() => 0);
            fetch("${AUTHCTL_SERVE_URL}me", {mode}).catch(() => 0);
        }
        new Image().src = "${AUTHCTL_SERVE_URL}me";
        new WebSocket("${AUTHCTL_SERVE_URL}socket".replace("http", "ws"));
        </script>
        <iframe src="${AUTHCTL_SERVE_URL}me"></iframe>
        <form id=form method=post action="${AUTHCTL_SERVE_URL}echo"></form>
        <script>setTimeout(() => form.submit(), 500)</script>
        END
        python3 -m http.server --bind 127.0.0.1 -d site $PAGES >/dev/null 2>&1 & pages=$!
        trap 'kill $pages' EXIT
        until curl -q -s -o /dev/null http://127.0.0.1:$PAGES/; do sleep 0.05; done
        # evil.example leads to this machine, as a name does that was rebound.
        visit() {
            chromium --headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --no-first-run --no-proxy-server \
                --disable-extensions --disable-background-networking --disable-component-update --disable-breakpad \
                --user-data-dir="$PWD/chromium" --virtual-time-budget=3000 --dump-dom \
                --host-resolver-rules='MAP evil.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1' "$1" 2>/dev/null
        }
        echo "own: $(visit "${AUTHCTL_SERVE_URL}me" | grep -o '"ann"')"
        curl -q -sS -o before "$SEEN"
        echo "rebound: $(visit "http://evil.example${AUTHCTL_SERVE_URL#http://127.0.0.1}me" | grep -o 'authctl: .*')"
        # Its form is sent last, and a slow browser may end before it has the answer.
        for _ in 1 2 3 4 5 6; do
            page=$(visit "http://evil.example:$PAGES/" | grep -o 'authctl: .*') && break
        done
        echo "page: $page"
        curl -q -sS -o after "$SEEN"
        cmp before after && echo nothing
        """#

    @Test
    func
        `nothing is sent for a page of another site, nor for a name that was rebound, by an exec that serves`()
        throws
    {
        let service = try StreamServer()
        defer { service.stop() }
        let authctl = try Installation(config: service.profile)
        try authctl.logIn("stream")
        let result = try authctl.run(
            ["exec", "-P", "stream", "--serve", "--", "bash", "-c", Self.script],
            environment: ["SEEN": service.origin + "/seen", "PAGES": "\(try FreePort.next())"], within: 120)
        #expect(
            result.output == """
                own: "ann"
                rebound: authctl: the Host header does not match this address
                page: authctl: requests from pages of other sites are refused
                nothing

                """, "\(result.error)")
        try FileManager.default.removeItem(atPath: authctl.folder + "/chromium")
    }
}
