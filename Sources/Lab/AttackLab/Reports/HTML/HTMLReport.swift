/// The run as one page that needs nothing beside itself: no script, no font, no image, no network.
package enum HTMLReport {
    package static func text(_ report: Report) -> String {
        let tally = Tally(report.outcomes)
        let title = report.isClean ? "Nothing replayed" : "\(tally.broken) broken, \(tally.inconclusive) unknown"
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
            <title>\(Markup.escape(title)) · token-exchange-lab attack</title>
            <style>\(HTMLStyle.text)</style>
            </head>
            <body>
            <header>
            <p class="tool">token-exchange-lab attack</p>
            <h1>\(Markup.escape(title))</h1>
            <p>\(Markup.escape(report.target)), mode \(Markup.escape(report.mode)), \
            begun <time>\(Markup.escape(report.startedAt))</time>, \(Int(report.duration / .seconds(1))) s.</p>
            \(tiles(tally))
            </header>
            <main>
            <section aria-labelledby="pipeline">
            <h2 id="pipeline">Stage by stage</h2>
            <div class="pipeline">\(report.stages.map { StageView.picture($0.stage, $0.outcomes) }.joined(separator: "\n"))</div>
            <p class="key"><span class="cell blocked"></span> blocked <span class="cell broken"></span> broken \
            <span class="cell inconclusive"></span> inconclusive <span class="cell not-applicable"></span> not applicable here</p>
            </section>
            \(remarkable(report))
            \(report.stages.map { StageView.section($0.stage, $0.outcomes) }.joined(separator: "\n"))
            </main>
            <footer><p>Blocked means: nothing was given away, the answer is the contract's, no forbidden request was counted, \
            nothing was used up, no secret came back or was logged, and a good sign-in worked afterwards. \
            Secrets in requests and answers are cut to their first letters.</p></footer>
            </body>
            </html>

            """
    }

    private static func tiles(_ tally: Tally) -> String {
        let tiles = [
            ("blocked", tally.blocked, "blocked"), ("broken", tally.broken, "broken"),
            ("inconclusive", tally.inconclusive, "inconclusive"),
            ("not-applicable", tally.notApplicable, "not applicable"),
        ].map { style, count, name in
            "<li class=\"\(count == 0 ? "none" : style)\"><strong>\(count)</strong> \(name)</li>"
        }
        return "<ul class=\"tiles\">\(tiles.joined())</ul>"
    }

    /// What is not blocked comes first, and open.
    private static func remarkable(_ report: Report) -> String {
        let outcomes = report.outcomes.filter { outcome in
            switch outcome.verdict {
            case .broken, .inconclusive: true
            case .blocked, .notApplicable: false
            }
        }.sorted { $0.attack.severity > $1.attack.severity }
        guard !outcomes.isEmpty else { return "" }
        return """
            <section aria-labelledby="remarkable">
            <h2 id="remarkable">What was not blocked</h2>
            \(outcomes.map { OutcomeView.details($0, isOpen: true, prefix: "x-") }.joined(separator: "\n"))
            </section>
            """
    }
}
