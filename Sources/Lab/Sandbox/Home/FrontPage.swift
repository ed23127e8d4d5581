/// What this is, what it defends against, and what there is to try.
struct FrontPage {
    let server: HomeServer
    let isReachable: Bool
    /// Newest first.
    let recent: [Run]

    var answer: Answer {
        Page(
            title: "token-exchange, in a sandbox",
            content: """
                <p class="lead">This page plays an application that wants to know who you are. It signs you in at Yahoo or \
                X through the server at <code>\(Page.escape(server.publicURL))</code>, which trades the sign-in for a \
                Firebase <em>custom token</em>, and it shows every message on the way.</p>
                <p>Yahoo and X are stand-ins on this machine. Alice, Björn and the others do not exist, and no key, code or \
                token here opens anything but this sandbox.</p>
                \(isReachable ? "" : unreachable)
                <section aria-labelledby="against">
                <h2 id="against">What the server defends against</h2>
                <ul class="against">
                <li><strong>Replay.</strong> Whatever proves a sign-in is good once: a copy of it is refused.</li>
                <li><strong>Another application’s token.</strong> A genuine token of a real person is worth nothing here \
                if it was issued to somebody else’s application.</li>
                <li><strong>A stolen code.</strong> Whoever reads a code on its way lacks the secret that it is bound \
                to.</li>
                </ul>
                </section>
                <section class="panel first" aria-labelledby="first">
                <h2 id="first">Begin here</h2>
                <p>Three clicks: this button, one on the server’s page, one at the stand-in of Yahoo. Then you hold a custom \
                token, and every step has a button that <em>replays</em> it, so that you see why it fails.</p>
                <form method="post" action="/runs">
                \(Self.button(.browserYahoo, isPrimary: true))
                </form>
                </section>
                <h2>Every way in</h2>
                <div class="cards">
                \(Scenario.Card.allCases.map { CardView(card: $0).html }.joined(separator: "\n"))
                </div>
                \(record)
                <p class="small">\(HomeText.secrets)</p>
                """,
            isWide: true
        ).answer()
    }

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
            "<li><a href=\"/runs/\(run.id)\">\(Page.escape(run.scenario.title))</a>: \(Self.outcome(run))</li>"
        }
        return """
            <h2>What you tried</h2>
            <ul>
            \(items.joined(separator: "\n"))
            </ul>
            """
    }

    private static func outcome(_ run: Run) -> String {
        switch run.stage {
        case .awaitingCode, .awaitingCallback: "waits for the browser"
        case .polling: "waits for somebody to enter the code"
        case .working, .ended: run.result == nil ? "nobody signed in" : "custom token"
        }
    }
}

/// One way in, with its buttons.
struct CardView {
    let card: Scenario.Card

    var html: String {
        let buttons = Scenario.allCases.filter { $0.card == card }.map { FrontPage.button($0) }
        return """
            <section class="card\(card == .attack ? " attack" : "")" aria-labelledby="\(anchor)">
            <h3 id="\(anchor)">\(title)</h3>
            <p>\(text)</p>
            <form method="post" action="/runs">
            \(buttons.joined(separator: "\n"))
            </form>
            </section>
            """
    }

    private var anchor: String {
        switch card {
        case .browser: "browser"
        case .redirect: "redirect"
        case .library: "library"
        case .device: "device"
        case .attack: "attack"
        }
    }

    private var title: String {
        switch card {
        case .browser: "In the browser"
        case .redirect: "The application owns the redirect"
        case .library: "With a library of one’s own"
        case .device: "On a television"
        case .attack: "What a hostile application tries"
        }
    }

    private var text: String {
        switch card {
        case .browser:
            """
            The server is an OAuth 2.0 authorization server, with PKCE. Any OAuth library signs in with it, and holds \
            nothing of Yahoo’s or X’s.
            """
        case .redirect:
            """
            For games, consoles and embedded pages. The application catches the provider’s redirect itself, and the server \
            keeps state, nonce and code verifier in a sealed session.
            """
        case .library:
            """
            The application obtained an ID token or a token pair by itself and hands it in, with a nonce that makes it \
            good once. Yahoo’s goes to <code>/v1/exchange</code>, or to <code>/token</code> by RFC 8693. No click at a \
            provider: the stand-in answers at once.
            """
        case .device:
            "No browser and no keyboard: the television shows a short code, and you enter it elsewhere (RFC 8628)."
        case .attack:
            """
            Mallory has an application of her own, and Alice signs in to it. Now Mallory holds genuine credentials of \
            Alice’s. One click each, and the refusal with its reason.
            """
        }
    }
}

/// Sentences that stand on more than one page.
enum HomeText {
    static let secrets =
        """
        Every code and token on this page is the sandbox’s own and opens nothing else, which is why it is shown at all. \
        A real application shows none.
        """

    /// How to start the server, as HTML.
    static func start(_ server: HomeServer) -> String {
        """
        <p>The server is expected at <code>\(Page.escape(server.publicURL))</code>. This starts it, together with this \
        page:</p>
        <pre><code>scripts/run</code></pre>
        <p>Where the sandbox runs by itself with <code>--write-config var/sandbox</code>, this starts the server:</p>
        <pre><code>token-exchange serve --config var/sandbox/token-exchange.yaml</code></pre>
        """
    }
}
