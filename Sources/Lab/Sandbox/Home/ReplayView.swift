/// What came of sending a step once more, as HTML.
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
                "refused",
                "<p><strong>\(isWaiting ? "Not yet." : "Refused.")</strong> \(OutcomeView.line(verdict)).</p>"
                    + OutcomeView.explanation(verdict, at: step.kind))
        }
        if let harmlessness = step.kind.harmlessness {
            return box(
                "accepted",
                "<p><strong>Accepted, and rightly.</strong> \(OutcomeView.line(verdict)).</p>"
                    + "<p>\(Page.escape(harmlessness))</p>")
        }
        guard step.outcome.isRefusal else {
            return box(
                "failed",
                "<p><strong>Accepted, and it should not have been.</strong> \(OutcomeView.line(verdict)).</p>"
                    + "<p>This step must be good once. If you see this, please report it.</p>")
        }
        return box(
            "accepted",
            "<p><strong>Accepted this time.</strong> \(OutcomeView.line(verdict)).</p>"
                + "<p>The first attempt failed without spending anything, so the same request was still good.</p>")
    }

    private func box(_ kind: String, _ content: String) -> String {
        "<div class=\"replay \(kind)\">\(content)</div>"
    }
}
