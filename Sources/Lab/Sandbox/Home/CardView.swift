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
