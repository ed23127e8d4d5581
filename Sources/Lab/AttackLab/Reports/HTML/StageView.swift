/// One stage of the pipeline on the page.
enum StageView {
    /// A card with a cell for each attack.
    static func picture(_ stage: Stage, _ outcomes: [Outcome]) -> String {
        let tally = Tally(outcomes)
        let cells = outcomes.map { outcome in
            let title = Markup.escape("\(outcome.attack.id), \(outcome.verdict.word): \(outcome.attack.sentence)")
            return
                "<a class=\"cell \(OutcomeView.style(outcome))\" href=\"#\(OutcomeView.anchor(outcome))\" title=\"\(title)\">"
                + "<span>\(Markup.escape(outcome.attack.id))</span></a>"
        }.joined()
        let tried = outcomes.count - tally.notApplicable
        return """
            <div class="stage \(tally.broken > 0 ? "broken" : "")">
            <h3><a href="#stage-\(stage.rawValue)">\(Markup.escape(stage.title))</a></h3>
            <p>\(tally.blocked) of \(tried) blocked</p>
            <div class="cells">\(cells)</div>
            </div>
            """
    }

    static func section(_ stage: Stage, _ outcomes: [Outcome]) -> String {
        """
        <section aria-labelledby="stage-\(stage.rawValue)">
        <h2 id="stage-\(stage.rawValue)">\(Markup.escape(stage.title))</h2>
        \(outcomes.map { OutcomeView.details($0) }.joined(separator: "\n"))
        </section>
        """
    }
}
