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
