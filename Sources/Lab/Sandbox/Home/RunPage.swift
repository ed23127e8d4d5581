/// The record of a run: how it ended, and every message of it.
struct RunPage {
    let run: Run
    let server: HomeServer

    var answer: Answer {
        let steps = run.steps.map { StepView(run: run, step: $0).html }
        return Page(
            title: run.scenario.title,
            content: """
                \(head)
                <h2>Step by step</h2>
                <p>Each button sends that step’s request once more, byte for byte, as somebody would who copied it. It \
                sends no cookie, since those stay in your browser.</p>
                <ol class="steps">
                \(steps.joined(separator: "\n"))
                </ol>
                \(RunPage.again(run.scenario))
                <p class="small">\(HomeText.secrets)</p>
                """,
            isWide: true
        ).answer()
    }

    private var head: String {
        if let result = ResultView(run: run)?.html { return result }
        switch run.stage {
        case .polling(let device):
            return DeviceView(run: run, device: device).html
        case .awaitingCode, .awaitingCallback:
            return """
                <section class="panel" aria-labelledby="head">
                <h2 id="head">Waiting for the browser</h2>
                <p>The sign-in has begun, and the browser has not come back yet. \
                <a href="/runs/\(run.id)">Look again</a>, or begin anew.</p>
                </section>
                """
        case .working, .ended:
            return ended
        }
    }

    private var ended: String {
        guard let step = run.steps.last(where: \.outcome.isRefusal) else {
            return Self.panel("failed", "It ended here", "<p>The last answer is not what the application expected.</p>")
        }
        if case .noAnswer(let error) = step.outcome {
            return Self.panel(
                "failed", "There was no answer",
                "<p>\(Page.escape(error.sentence))</p>\(HomeText.start(server))")
        }
        let why = step.outcome.response.map { OutcomeView.explanation(Verdict($0), at: step.kind) } ?? ""
        guard step.kind == .attack else {
            return Self.panel("failed", "Nobody is signed in", why)
        }
        let line = step.outcome.response.map { "<p>\(OutcomeView.line(Verdict($0))).</p>" } ?? ""
        return Self.panel("refused", "Refused, and nobody is signed in", why + line)
    }

    private static func panel(_ kind: String, _ title: String, _ content: String) -> String {
        """
        <section class="panel \(kind)" aria-labelledby="head">
        <h2 id="head">\(title)</h2>
        \(content)
        </section>
        """
    }

    private static func again(_ scenario: Scenario) -> String {
        """
        <form method="post" action="/runs" class="again">
        <button type="submit" name="scenario" value="\(scenario.rawValue)">Begin anew</button>
        <a href="/">Try something else</a>
        </form>
        """
    }
}
