import Transport

/// One step of a run, as an item of its list.
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
            <li class="step\(step.kind.sender == .server ? " inner" : "")" id="step-\(step.number)">
            <h3>\(Page.escape(step.kind.title))</h3>
            <p class="route">\(step.kind.sender.title) <span aria-label="to">→</span> \(step.kind.receiver.title)</p>
            \(step.note.map { "<p>\(Page.escape($0))</p>" } ?? "")
            <p class="line"><code>\(step.request.method.rawValue) \(Page.escape(step.request.endpoint))</code></p>
            \(contents.isEmpty ? "" : Self.folded("What was sent", contents))
            \(OutcomeView(outcome: step.outcome).status)
            \(refusal ?? "")
            \(OutcomeView(outcome: step.outcome).contents)
            \(tokens.map { TokenView(name: $0.name, token: $0.token).html }.joined(separator: "\n"))
            <form method="post" action="/runs/\(run.id)/steps/\(step.number)/replay">
            <button type="submit" aria-label="Replay step \(step.number)">Replay this step</button>
            \(step.replayCount == 0 ? "" : "<span class=\"small\">Replayed \(Self.times(step.replayCount)).</span>")
            </form>
            \(step.replay.map { "<div role=\"status\">\(ReplayView(step: step, outcome: $0).html)</div>" } ?? "")
            </li>
            """
    }

    private static func folded(_ title: String, _ text: String) -> String {
        """
        <details>
        <summary>\(title)</summary>
        <pre><code>\(Page.escape(text))</code></pre>
        </details>
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
