import Transport

/// One step of a run as HTML: an item of the list.
struct StepView {
    let run: Run
    let step: Step

    var html: String {
        let contents = MessageText.contents(step.request)
        let tokens =
            NamedToken.all(in: step.request) + (step.outcome.response.map(NamedToken.all(in:)) ?? [])
        let refusal =
            step.outcome.response.map(Verdict.init).flatMap {
                $0.isRefusal ? OutcomeView.explanation($0, at: step.kind) : nil
            }
        return """
            <li class="step\(step.kind.sender == .server ? " inner" : "")">
            <details\(step.replay == nil ? "" : " open")>
            <summary><h3>\(Page.escape(step.kind.title))</h3>
            <span class="route">\(step.kind.sender.title) → \(step.kind.receiver.title)</span>
            \(OutcomeView(outcome: step.outcome).status("span"))</summary>
            <div id="step-\(step.number)">
            \(step.note.map { "<p>\(Page.escape($0))</p>" } ?? "")
            <p class="line"><code>\(step.request.method.rawValue) \(Page.escape(step.request.endpoint))</code></p>
            \(contents.isEmpty ? "" : Page.folded("Request", "<pre><code>\(Page.escape(contents))</code></pre>"))
            \(refusal ?? "")
            \(OutcomeView(outcome: step.outcome).contents)
            \(tokens.map { TokenView(name: $0.name, token: $0.token).html }.joined(separator: "\n"))
            <form method="post" action="/runs/\(run.id)/steps/\(step.number)/replay">
            <button type="submit" aria-label="Replay step \(step.number)">Replay this step</button>
            \(step.replayCount == 0 ? "" : "<span class=\"small\">Replayed \(Self.times(step.replayCount)).</span>")
            </form>
            \(step.replay.map { "<div role=\"status\">\(ReplayView(step: step, outcome: $0).html)</div>" } ?? "")
            </div>
            </details>
            </li>
            """
    }

    private static func times(_ count: Int) -> String {
        switch count {
        case 1: "once"
        case 2: "twice"
        default: "\(count) times"
        }
    }
}

/// The outcome of a request as HTML.
struct OutcomeView {
    let outcome: Outcome

    /// One line in an element with this name.
    func status(_ element: String = "p") -> String {
        "<\(element) class=\"status\(outcome.isRefusal ? " refused" : "")\">\(line)</\(element)>"
    }

    var line: String {
        switch outcome {
        case .underWay: "No answer yet."
        case .elsewhere: "The answer went to the browser; the next steps show its effect."
        case .noAnswer(let error): "No answer. \(Page.escape(error.sentence))"
        case .answer(let response): Self.line(Verdict(response))
        }
    }

    /// The contents of the answer in a closed `details` element; empty if there are none.
    var contents: String {
        let text = outcome.response.map { MessageText.contents($0) } ?? ""
        return text.isEmpty ? "" : Page.folded("Answer", "<pre><code>\(Page.escape(text))</code></pre>")
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

    /// Explains a refusal; if its reason is unknown, it quotes the server or the provider.
    static func explanation(_ verdict: Verdict, at step: StepKind) -> String {
        let name = verdict.reason ?? verdict.error ?? step.defaultReason
        let sentence = name.flatMap(Defence.sentence(for:)) ?? (step.receiver == .provider ? Defence.ofProvider : nil)
        let said = verdict.description.map { "<p class=\"small\">Original text: “\(Page.escape($0))”</p>" } ?? ""
        guard let sentence else { return said }
        return "<p>\(Page.escape(sentence))</p>\(said)"
    }
}

/// The outcome of a replay as HTML.
struct ReplayView {
    let step: Step
    let outcome: Outcome

    var html: String {
        switch outcome {
        case .underWay, .elsewhere: ""
        case .noAnswer(let error):
            box("failed", "<p><strong>No answer.</strong> \(Page.escape(error.sentence))</p>")
        case .answer(let response):
            answered(Verdict(response))
        }
    }

    private func answered(_ verdict: Verdict) -> String {
        if verdict.isRefusal {
            let isWaiting = ["authorization_pending", "slow_down"].contains(verdict.error)
            return box(
                "defended",
                "<p><strong>\(isWaiting ? "Not yet." : "Refused, as it must be.")</strong> \(OutcomeView.line(verdict)).</p>"
                    + OutcomeView.explanation(verdict, at: step.kind))
        }
        if let replayExplanation = step.kind.replayExplanation {
            return box(
                "accepted",
                "<p><strong>Accepted, and this is correct.</strong> \(OutcomeView.line(verdict)).</p>"
                    + "<p>\(Page.escape(replayExplanation))</p>")
        }
        guard step.outcome.isRefusal else {
            return box(
                "fault",
                "<p><strong>Accepted, and this is a fault.</strong> \(OutcomeView.line(verdict)).</p>"
                    + "<p>This step must be accepted only once. Please report this fault.</p>")
        }
        return box(
            "accepted",
            "<p><strong>Accepted this time.</strong> \(OutcomeView.line(verdict)).</p>"
                + "<p>The first attempt failed without spending anything, so the same request was still valid.</p>")
    }

    private func box(_ kind: String, _ content: String) -> String {
        "<div class=\"replay \(kind)\">\(content)</div>"
    }
}

/// A token as HTML: header, claims and times, without the signature.
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
            ? "There is no signature." : "The signature of \(token.signatureByteCount) bytes is not shown."
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
