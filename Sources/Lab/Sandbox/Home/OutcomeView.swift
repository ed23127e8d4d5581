import Transport

/// What came of a request, as HTML.
struct OutcomeView {
    let outcome: Outcome

    /// One line.
    var status: String {
        switch outcome {
        case .underWay: "<p class=\"status\">No answer yet.</p>"
        case .elsewhere:
            "<p class=\"status\">The answer went to the browser; what came of it is in the next steps.</p>"
        case .noAnswer(let error): "<p class=\"status refused\">No answer. \(Page.escape(error.sentence))</p>"
        case .answer(let response):
            "<p class=\"status\(Verdict(response).isRefusal ? " refused" : "")\">\(Self.line(Verdict(response)))</p>"
        }
    }

    /// Folded; empty where there is nothing to unfold.
    var contents: String {
        guard let response = outcome.response else { return "" }
        let text = MessageText.contents(response)
        guard !text.isEmpty else { return "" }
        return """
            <details>
            <summary>What was answered</summary>
            <pre><code>\(Page.escape(text))</code></pre>
            </details>
            """
    }

    /// `400 invalid_grant, reason replayed`.
    static func line(_ verdict: Verdict) -> String {
        var line = "Answered <strong>\(verdict.status)</strong>"
        if let error = verdict.error { line += " <code>\(Page.escape(error))</code>" }
        if let reason = verdict.reason, reason != verdict.error {
            line += ", reason <code>\(Page.escape(reason))</code>"
        }
        return line
    }

    /// Which defence a refusal was; else what the server or the provider said itself.
    static func explanation(_ verdict: Verdict, at step: StepKind) -> String {
        let name = verdict.reason ?? verdict.error ?? step.tacitReason
        let sentence = name.flatMap(Defence.sentence(for:)) ?? (step.receiver == .provider ? Defence.ofProvider : nil)
        let said = verdict.description.map { "<p class=\"small\">In its own words: “\(Page.escape($0))”</p>" } ?? ""
        guard let sentence else { return said }
        return "<p>\(Page.escape(sentence))</p>\(said)"
    }
}
