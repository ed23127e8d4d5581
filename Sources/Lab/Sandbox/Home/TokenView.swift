/// A token as HTML: header, claims, times, and no signature.
struct TokenView {
    let name: String
    let token: TokenText
    var isOpen = false

    var html: String {
        let times = token.times.map {
            "<div><dt><code>\($0.claim)</code></dt><dd>\(Page.escape($0.text))</dd></div>"
        }
        let signature =
            token.signatureByteCount == 0
            ? "There is no signature." : "The signature, \(token.signatureByteCount) bytes, is left out."
        return """
            <details class="token"\(isOpen ? " open" : "")>
            <summary><code>\(Page.escape(name))</code>, decoded</summary>
            <p class="label">Header</p>
            <pre><code>\(Page.escape(token.header))</code></pre>
            <p class="label">Claims</p>
            <pre><code>\(Page.escape(token.claims))</code></pre>
            \(times.isEmpty ? "" : "<dl class=\"times\">\(times.joined())</dl>")
            <p class="small">\(signature)</p>
            </details>
            """
    }
}
