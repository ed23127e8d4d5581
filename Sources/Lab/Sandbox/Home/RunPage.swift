import Jansson

/// The page of a run: its result and all its messages.
struct RunPage {
    let run: Run
    let server: HomeServer
    /// That of the user of the scenario; `nil` if there is none.
    let authenticator: SandboxAuthenticator?
    /// Seconds since 1970-01-01T00:00:00Z on the clock of the stand-ins.
    let now: Int64

    var answer: Answer {
        let steps = run.steps.map { StepView(run: run, step: $0).html }
        var page = Page(
            title: run.title,
            content: """
                \(head)
                <h2>Step by step</h2>
                \(FlowDrawing(run.steps).map { Page.folded("The messages as a drawing", $0.html) } ?? "")
                <p>Open a step to see its message. Its button sends the request once more, byte for byte, as an attacker who \
                copied it could do. Cookies are not sent, because they stay in your browser.</p>
                <ol class="steps">
                \(steps.joined(separator: "\n"))
                </ol>
                \(run.scenario == .console ? "" : RunPage.again(run))
                <p class="small">\(HomeText.secrets)</p>
                """,
            isWide: true)
        page.script = PopUpView(run: run, server: server) == nil ? nil : PopUpView.script
        return page.answer()
    }

    private var head: String {
        if run.scenario == .console {
            return "<p><a href=\"\(Console.path)?run=\(run.id)\">Back to the console</a></p>"
        }
        if let result = ResultView(run: run)?.html { return result }
        switch run.stage {
        case .polling(let device):
            return DeviceView(run: run, device: device).html
        case .awaitingCode, .awaitingCallback:
            if let authenticator = AuthenticatorView(run: run, authenticator: authenticator, now: now) {
                return authenticator.html
            }
            if let popUp = PopUpView(run: run, server: server) { return popUp.html }
            return """
                <section class="panel" aria-labelledby="head">
                <h2 id="head">Waiting for the browser</h2>
                <p>The sign-in has started, and the browser has not returned yet. \
                <a href="/runs/\(run.id)">Reload</a>, or start again.</p>
                </section>
                """
        case .working, .signedIn, .ended:
            return ended
        }
    }

    private var ended: String {
        if let deleted = DeletionView(run: run)?.html { return deleted }
        if let signedOut = SignOutView(run: run)?.html { return signedOut }
        guard let step = run.steps.last(where: \.outcome.isRefusal) else {
            // The redirect of the server's own page, such as after "cancel" (RFC 6749 §4.1.2.1).
            let error = run.steps.last { $0.kind == .codeCallback }?.request.response?["error"]
            if let sentence = error.flatMap(Defence.sentence) {
                return Self.section("failed", "No one is signed in", "<p>\(sentence)</p>")
            }
            return Self.section(
                "failed", "The run ended here", "<p>The application did not expect the last answer.</p>")
        }
        if case .noAnswer(let error) = step.outcome {
            return Self.section(
                "failed", "No answer",
                "<p>\(Page.escape(error.sentence))</p>\(HomeText.start(server))")
        }
        let why = step.outcome.response.map { OutcomeView.explanation(Verdict($0), at: step.kind) } ?? ""
        guard step.kind == .attack else {
            return Self.section("failed", "No one is signed in", why)
        }
        let line = step.outcome.response.map { "<p>\(OutcomeView.line(Verdict($0))).</p>" } ?? ""
        return Self.section("defended", "Refused, as it must be: no one is signed in", why + line)
    }

    private static func section(_ kind: String, _ title: String, _ content: String) -> String {
        """
        <section class="panel \(kind)" aria-labelledby="head">
        <h2 id="head">\(title)</h2>
        \(content)
        </section>
        """
    }

    private static func again(_ run: Run) -> String {
        """
        <form method="post" action="/runs" class="again">
        <input type="hidden" name="provider" value="\(Page.escape(run.provider))">
        <button type="submit" name="scenario" value="\(run.scenario.rawValue)">Start again</button>
        <a href="/">Try something else</a>
        </form>
        """
    }
}

/// The panel with the custom token and its contents.
struct ResultView {
    private let run: Run
    private let result: JSON
    private let token: String

    /// Returns `nil` if the run has no custom token.
    init?(run: Run) {
        guard let result = run.result, let token = run.customToken else { return nil }
        self.run = run
        self.result = result
        self.token = token
    }

    var html: String {
        let name = result["profile"]?["name"]?.string ?? result["profile"]?["screen_name"]?.string ?? "a user"
        return """
            <section class="panel accepted" aria-labelledby="head">
            <h2 id="head">A custom token for \(Page.escape(name))</h2>
            <p>With it, Firebase’s <code>signInWithCustomToken</code> signs \(Page.escape(name)) in.</p>
            \(DecisiveReplay(run: run)?.html ?? "")
            \(TokenText(token).map { TokenView(name: "The custom token", token: $0, isOpen: true).html } ?? "")
            \(Page.folded("The encoded custom token", "<pre><code>\(Page.escape(token))</code></pre>"))
            \(Page.folded("The account, and the meaning of the claims", account))
            </section>
            """
    }

    private var account: String {
        let proof = result["audience_proof"]?.string ?? ""
        let facts = [("uid", "uid"), ("provider", "provider"), ("provider_uid", "id at the provider")].compactMap {
            member, title in
            result[member]?.string.map {
                "<div><dt>\(title)</dt><dd><code>\(Page.escape($0))</code></dd></div>"
            }
        }
        return """
            <dl>
            \(facts.joined(separator: "\n"))
            <div><dt>audience proof</dt><dd><code>\(Page.escape(proof))</code>. \
            \(Page.escape(AudienceProofNote.sentence(for: proof) ?? ""))</dd></div>
            </dl>
            <p>The token is addressed to Firebase (<code>aud</code>), signed by the server’s service account \
            (<code>iss</code>, <code>sub</code>), names the account (<code>uid</code>) and soon expires \
            (<code>exp</code>).</p>
            """
    }
}

/// The button that replays the step which decided the run, with the outcome of the last replay.
struct DecisiveReplay {
    private let run: Run
    private let step: Step

    /// Returns `nil` if no step of the run must be refused a second time.
    init?(run: Run) {
        guard let step = run.steps.last(where: { $0.outcome.success != nil && $0.kind.replayExplanation == nil })
        else { return nil }
        self.run = run
        self.step = step
    }

    var html: String {
        """
        <form method="post" action="/runs/\(run.id)/steps/\(step.number)/replay">
        <button type="submit" class="primary">Attack it: send the last request once more</button>
        <span class="small">Each step below has such a button, too.</span>
        </form>
        \(step.replay.map { "<div role=\"status\">\(ReplayView(step: step, outcome: $0).html)</div>" } ?? "")
        """
    }
}

/// The panel of a device that waits for its code to be entered.
struct DeviceView {
    let run: Run
    let device: Run.Device

    var html: String {
        """
        <section class="panel" aria-labelledby="head">
        <h2 id="head">The television shows a code</h2>
        <p class="code"><code>\(Page.escape(device.userCode))</code></p>
        <ol>
        <li>Enter it at <a href="\(Page.escape(device.verificationURIComplete))" target="_blank" rel="noopener">\
        \(Page.escape(device.verificationURI))</a> (opens in a new tab, with the code filled in), as you would on your \
        phone.</li>
        <li>Sign in there, and confirm.</li>
        <li>Come back here and press the button.</li>
        </ol>
        <form method="post" action="/runs/\(run.id)/poll">
        <button type="submit" class="primary">Ask now</button>
        <span class="small">A television asks every five seconds. One that asks sooner is refused and must wait longer.</span>
        </form>
        </section>
        """
    }
}
