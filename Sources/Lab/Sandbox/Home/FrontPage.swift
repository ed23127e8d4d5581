/// The front page: what the sandbox is, what the server defends against, and a button for each scenario.
struct FrontPage {
    let server: HomeServer
    let isReachable: Bool
    let hasDocumentation: Bool
    /// Newest first.
    let recent: [Run]
    let users: UsersView

    var answer: Answer {
        Page(
            title: "token-exchange, in a sandbox",
            content: """
                <p class="lead">This page plays an application that wants to know who you are. It signs you in with Yahoo, X \
                or another provider through the server at <code>\(Page.escape(server.publicURL))</code>, which exchanges the sign-in for a \
                Firebase <em>custom token</em>. It shows the messages of the application, of the server and of the provider.</p>
                <p>All providers are stand-ins on this machine. Alice, Björn and the other users do not exist, and every key, code and \
                token here works only in this sandbox.</p>
                \(hasDocumentation ? Self.documentation : "")
                \(isReachable ? "" : unreachable)
                <section aria-labelledby="against">
                <h2 id="against">What the server defends against</h2>
                <ul class="against">
                <li><strong>Replay.</strong> Every proof of a sign-in is accepted once. A copy is refused.</li>
                <li><strong>Another application’s token.</strong> A genuine token of a real user is refused if it was issued to \
                another application.</li>
                <li><strong>A stolen code.</strong> An attacker who reads a code does not have the secret that it is bound to.</li>
                </ul>
                </section>
                <section class="panel first" aria-labelledby="first">
                <h2 id="first">Start here</h2>
                <p>It takes three clicks: this button, one on the server’s page, and one on Yahoo’s stand-in. Then you have a \
                custom token. Open a step to see its message, and a button that <em>replays</em> it; the page explains the answer.</p>
                <form method="post" action="/runs">
                \(Self.button(.browserYahoo, isPrimary: true))
                </form>
                </section>
                <h2>All ways to sign in</h2>
                <div class="cards">
                \(Scenario.Card.allCases.map { CardView(card: $0).html }.joined(separator: "\n"))
                </div>
                \(users.html)
                \(record)
                <p class="small">\(HomeText.secrets)</p>
                """,
            isWide: true
        ).answer()
    }

    private static let documentation = """
        <p><a href="\(DocumentationSite.root)">Documentation</a>: from the first sign-in to operation.</p>
        """

    static func button(_ scenario: Scenario, isPrimary: Bool = false) -> String {
        """
        <button type="submit" name="scenario" value="\(scenario.rawValue)"\(isPrimary ? " class=\"primary\"" : "")>\
        \(Page.escape(scenario.label))</button>
        """
    }

    private var unreachable: String {
        """
        <section class="panel failed" role="alert" aria-labelledby="unreachable">
        <h2 id="unreachable">The server does not answer</h2>
        \(HomeText.start(server))
        </section>
        """
    }

    private var record: String {
        guard !recent.isEmpty else { return "" }
        let items = recent.map { run in
            "<li><a href=\"/runs/\(run.id)\">\(Page.escape(run.title))</a>: \(Self.outcome(run))</li>"
        }
        return """
            <h2>Your latest runs</h2>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            """
    }

    private static func outcome(_ run: Run) -> String {
        switch run.stage {
        case .awaitingCode, .awaitingCallback: "waits for the browser"
        case .polling: "waits for you to enter the code"
        case .signedIn: "waits for you to sign out"
        case .ended where DeletionView(run: run) != nil: "account deleted"
        case .ended where SignOutView(run: run) != nil: "signed out"
        case .working where run.scenario == .console: "console"
        case .working, .ended: run.result == nil ? "no sign-in" : "custom token"
        }
    }
}

/// A group of scenarios, with a button for each.
struct CardView {
    let card: Scenario.Card

    var html: String {
        let buttons = Scenario.allCases.filter { $0.card == card }.map { FrontPage.button($0) }
        let form = "<form method=\"post\" action=\"/runs\">\n\(buttons.joined(separator: "\n"))\n</form>"
        return """
            <section class="card\(card.style)" aria-labelledby="\(anchor)">
            <h3 id="\(anchor)">\(title)</h3>
            <p>\(text)</p>
            \(card == .console ? Self.console : card == .provider ? Self.providers : form)
            </section>
            """
    }

    private static let console = "<p><a href=\"\(Console.path)\">Open the console</a></p>"

    /// A button for each provider beside Yahoo and X.
    private static let providers = """
        <form method="post" action="/runs">
        <input type="hidden" name="scenario" value="\(Scenario.browserProvider.rawValue)">
        \(DocumentedProvider.all.map { provider in
            "<button type=\"submit\" name=\"provider\" value=\"\(provider.id)\">\(provider.title)</button>"
        }.joined(separator: "\n"))
        </form>
        """

    private var anchor: String {
        switch card {
        case .browser: "browser"
        case .provider: "provider"
        case .redirect: "redirect"
        case .library: "library"
        case .device: "device"
        case .account: "account"
        case .attack: "attack"
        case .console: "console"
        }
    }

    private var title: String {
        switch card {
        case .browser: "In the browser"
        case .provider: "With another provider"
        case .redirect: "With the application’s own redirect"
        case .library: "With the provider’s own library"
        case .device: "On a television"
        case .account: "With an account from before"
        case .attack: "Attacks by a hostile application"
        case .console: "With a request of your own"
        }
    }

    private var text: String {
        switch card {
        case .browser:
            """
            The server is an OAuth 2.0 authorization server, with PKCE. Any OAuth library can sign in with it, and \
            the application holds no credentials of Yahoo or X.
            """
        case .provider:
            """
            The other built-in providers, each with the answers that it documents. Their templates need no more than an \
            application’s registration.
            """
        case .redirect:
            """
            For games, consoles and embedded pages. The application receives the provider’s redirect itself. State, nonce \
            and code verifier are in a session that only the server can open.
            """
        case .library:
            """
            The application gets an ID token or a token pair by itself and sends it to the server, with a nonce that \
            makes it valid once. Yahoo’s ID token goes to <code>/v1/exchange</code>, or to <code>/token</code> by RFC 8693. \
            You need not click at a provider: the stand-in answers at once.
            """
        case .device:
            "A device without browser and keyboard shows a short code, and you enter it elsewhere (RFC 8628)."
        case .account:
            """
            Dana has an account by Yahoo and comes back with X, which has the same verified address: the server asks her to \
            show that the account is hers. Erin’s account has a second factor, for which the server asks on a page. Frida begins as \
            a guest, and the calls of an application take her account through its whole life. Björn signs out everywhere, and the page \
            shows what has ended.
            """
        case .attack:
            """
            Alice signs in to an application that belongs to Mallory, so Mallory has genuine credentials of Alice. Each button \
            tries one attack and shows the refusal with its reason.
            """
        case .console:
            """
            Choose an operation of the API, change its example, send it, and copy the request as a program.
            """
        }
    }
}

extension Scenario.Card {
    /// The further class of the card, with a space before it.
    fileprivate var style: String {
        switch self {
        case .attack: " attack"
        case .provider: " providers"
        default: ""
        }
    }
}

/// Texts that appear on several pages.
enum HomeText {
    static let secrets =
        """
        The page shows codes and tokens because they work only in this sandbox. A real application must not show them.
        """

    /// Instructions to start the server, as HTML.
    static func start(_ server: HomeServer) -> String {
        """
        <p>The server is expected at <code>\(Page.escape(server.publicURL))</code>. This command starts it together with this \
        page:</p>
        <pre><code>scripts/run</code></pre>
        <p>If only the sandbox runs, with <code>--write-config var/sandbox</code>, this command starts the server:</p>
        <pre><code>token-exchange serve --config var/sandbox/token-exchange.yaml</code></pre>
        """
    }
}
