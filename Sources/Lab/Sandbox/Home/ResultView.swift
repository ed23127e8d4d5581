import Jansson

/// The custom token, and what makes it trustworthy.
struct ResultView {
    private let run: Run
    private let result: JSON
    private let token: String

    /// Nil where the run has no custom token.
    init?(run: Run) {
        guard let result = run.result, let token = run.customToken else { return nil }
        self.run = run
        self.result = result
        self.token = token
    }

    var html: String {
        let name = result["profile"]?["name"]?.string ?? result["profile"]?["screen_name"]?.string ?? "Somebody"
        let proof = result["audience_proof"]?.string ?? ""
        let facts = [("uid", "uid"), ("provider", "provider"), ("provider_uid", "id at the provider")].compactMap {
            member, title in
            result[member]?.string.map {
                "<div><dt>\(title)</dt><dd><code>\(Page.escape($0))</code></dd></div>"
            }
        }
        return """
            <section class="panel accepted" aria-labelledby="head">
            <h2 id="head">A custom token for \(Page.escape(name))</h2>
            <p>Firebase’s <code>signInWithCustomToken</code> takes it, and \(Page.escape(name)) is signed in.</p>
            <dl>
            \(facts.joined(separator: "\n"))
            <div><dt>audience proof</dt><dd><code>\(Page.escape(proof))</code>. \
            \(Page.escape(AudienceProofNote.sentence(for: proof) ?? ""))</dd></div>
            </dl>
            <p>The token is addressed to Firebase (<code>aud</code>), signed by the server’s service account \
            (<code>iss</code>, <code>sub</code>), names the account (<code>uid</code>) and soon expires \
            (<code>exp</code>).</p>
            \(TokenText(token).map { TokenView(name: "The custom token", token: $0, isOpen: true).html } ?? "")
            <details>
            <summary>The custom token as it stands</summary>
            <pre><code>\(Page.escape(token))</code></pre>
            </details>
            <p>Now be the attacker: replay any step below, and see what becomes of it.</p>
            </section>
            """
    }
}
