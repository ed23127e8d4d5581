/// One attack on the page, to be unfolded.
enum OutcomeView {
    static func style(_ outcome: Outcome) -> String { outcome.verdict.word.replacing(" ", with: "-") }

    static func anchor(_ outcome: Outcome) -> String { Markup.escape(outcome.attack.id.replacing(" ", with: "-")) }

    /// - `prefix`: of the element's id, where an attack stands on the page twice.
    static func details(_ outcome: Outcome, isOpen: Bool = false, prefix: String = "") -> String {
        let attack = outcome.attack
        let remarks = outcome.remarks.map { "<li>\(Markup.escape($0))</li>" }.joined()
        return """
            <details id="\(prefix)\(anchor(outcome))"\(isOpen ? " open" : "")>
            <summary><span class="verdict \(style(outcome))">\(outcome.verdict.word)</span> \
            <code>\(Markup.escape(attack.id))</code> \(Markup.escape(attack.sentence)) \
            <span class="severity \(attack.severity.rawValue)">\(attack.severity.rawValue)</span></summary>
            \(remarks.isEmpty ? "" : "<ul class=\"remarks\">\(remarks)</ul>")
            <dl>
            <dt>A correct server</dt><dd>\(Markup.escape(attack.oracle))</dd>
            <dt>Source</dt><dd>\(Markup.escape(attack.source))</dd>
            <dt>Requests</dt><dd>\(outcome.shotCount), in \(Int(outcome.duration / .milliseconds(1))) ms</dd>
            </dl>
            \(outcome.shots.enumerated().map { shot($0.offset + 1, ShotView($0.element, outcome.elision)) }.joined(separator: "\n"))
            </details>
            """
    }

    private static func shot(_ number: Int, _ view: ShotView) -> String {
        let role = view.expectation.map { "the attacker; expected \($0)" } ?? "an honest step"
        let findings = view.findings.map { "<li>\(Markup.escape($0))</li>" }.joined()
        let curl = view.curl.map { "<h5>To reproduce</h5><pre>\(Markup.escape($0))</pre>" } ?? ""
        return """
            <div class="shot \(view.findings.isEmpty ? "" : "wrong")">
            <h4>\(number). \(Markup.escape(role))</h4>
            \(findings.isEmpty ? "" : "<ul class=\"remarks\">\(findings)</ul>")
            <div class="pair"><pre>\(Markup.escape(view.request))</pre><pre>\(Markup.escape(view.answer))</pre></div>
            \(curl)
            </div>
            """
    }
}
