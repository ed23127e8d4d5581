/// The report as one HTML page, without scripts, fonts, images and network requests.
package enum HTMLReport {
    package static func text(_ report: Report) -> String {
        let tally = Tally(report.outcomes)
        let title =
            report.isClean ? "Every attack was blocked" : "\(tally.broken) broken, \(tally.inconclusive) unknown"
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
            <footer><p>Blocked means: the attacker got no credential, the response was as the contract says, no forbidden \
            request was made, \
            no credential was used up, no secret was returned or logged, and a correct sign-in worked afterwards. \
            Secrets in requests and responses are cut to their first characters.</p></footer>
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

    /// Returns the attacks that were not blocked, which the page shows first and unfolded.
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

/// One attack on the page, which the reader can unfold.
enum OutcomeView {
    static func style(_ outcome: Outcome) -> String { outcome.verdict.word.replacing(" ", with: "-") }

    static func anchor(_ outcome: Outcome) -> String { Markup.escape(outcome.attack.id.replacing(" ", with: "-")) }

    /// `prefix` precedes the element's id, since an attack can be on the page twice.
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
            <dt>Requests</dt><dd>\(outcome.exchangeCount), in \(Int(outcome.duration / .milliseconds(1))) ms</dd>
            </dl>
            \(outcome.exchanges.enumerated().map { exchange($0.offset + 1, ExchangeView($0.element, outcome.elision)) }.joined(separator: "\n"))
            </details>
            """
    }

    private static func exchange(_ number: Int, _ view: ExchangeView) -> String {
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

/// One request and its response in a report: as text, cut to a readable length, without secrets.
struct ExchangeView: Sendable {
    let request: String
    let answer: String
    /// The response of a correct server; `nil` for a step that is not an attack.
    let expectation: String?
    let findings: [String]
    /// The request as a command of curl; `nil` if curl cannot send it.
    let curl: String?

    init(_ exchange: Exchange, _ elide: Elision) {
        let sent = exchange.request.bytes(host: Wire(base: exchange.base).host)
        request = Self.cut(elide(Self.readable(sent)), total: sent.count)
        switch exchange.reply {
        case .answer(let received):
            let head = received.fields.map { "\($0.name): \($0.value)\n" }.joined()
            let text = "HTTP/1.1 \(received.status)\n\(head)\n\(Self.readable(received.body))"
            answer = Self.cut(elide(text), total: head.utf8.count + received.body.count)
        case .closed: answer = "(The connection ended without an answer.)"
        case .timedOut: answer = "(No answer came in time.)"
        }
        expectation = exchange.expectation
        findings = exchange.findings.map { elide($0.sentence) }
        curl = CurlCommand.text(exchange.request, base: exchange.base).map { elide($0) }
    }

    private static let shownLength = 1500
    /// The number of octets that are searched for secrets.
    ///
    /// It exceeds the number that is shown, so that a secret at the end is complete.
    private static let readLength = 16384

    private static func cut(_ text: String, total: Int) -> String {
        text.utf8.count <= shownLength ? text : text.prefix(shownLength) + "… (\(total) octets in all)"
    }

    /// Returns text in which control characters are visible.
    private static func readable(_ bytes: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: bytes.prefix(readLength), as: UTF8.self).unicodeScalars {
            switch scalar.value {
            case 0x0A: text += "\n"
            case 0x0D: break
            case 0..<0x20, 0x7F..<0xA0, 0x200B...0x200F, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF:
                text += "<" + String(scalar.value, radix: 16) + ">"
            default: text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}

/// A request as a command line.
enum CurlCommand {
    /// Returns the command; `nil` if the request is not HTTP, or too long to paste.
    static func text(_ request: Request, base: String) -> String? {
        guard request.raw == nil, request.body.count <= 4096, request.target.utf8.count <= 4096 else { return nil }
        var words = ["curl", "-si", "--path-as-is"]
        if request.method != (request.body.isEmpty ? "GET" : "POST") { words += ["-X", quoted(request.method)] }
        for (name, value) in request.fields { words += ["-H", quoted("\(name): \(value)")] }
        if !request.body.isEmpty {
            words += ["--data-binary", quoted(String(decoding: request.body, as: UTF8.self))]
        }
        return (words + [quoted(base + request.target)]).joined(separator: " ")
    }

    /// Returns a text in single quotes, in which a shell interprets only the quote itself.
    private static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
