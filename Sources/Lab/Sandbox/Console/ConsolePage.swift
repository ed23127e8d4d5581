import Transport

/// The console as HTML: the operations, the form of one of them, and the answer to its last request.
struct ConsolePage {
    let description: ConsoleDescription
    let run: Run?
    let operation: ConsoleOperation?
    let fields: [ConsoleField]
    /// The request that the programs send: that of the step, or else that of the form; `nil` if there is none.
    let request: RecordedRequest?
    /// The request that was sent last; `nil` before the first one.
    let step: Step?

    var answer: Answer {
        let content = operation.map { form($0) } ?? introduction
        var page = Page(
            title: operation.map { "Console: \($0.name)" } ?? "Console",
            content: """
                \(content)
                \(step.map(answer) ?? "")
                \(request.map(programs) ?? "")
                \(operation == nil ? "<h2>Operations</h2>\(list)" : Page.folded("Other operations", list))
                <p><a href="/">Back to the start</a>\(record)</p>
                <p class="small">\(HomeText.secrets)</p>
                """,
            isWide: true)
        page.script = request == nil ? nil : Self.script
        return page.answer()
    }

    private var record: String {
        run.map {
            """
             · <a href="/runs/\($0.id)">All requests of this session</a> · <a href="\(Console.path)?run=">Begin a session \
            without their values</a>
            """
        } ?? ""
    }

    private var introduction: String {
        """
        <p class="lead">Choose an operation. The form has the members of its request with an example filled in; you change \
        them, send the request, and read the answer with every token decoded.</p>
        <p>Codes and tokens of earlier answers are filled in. A sign-in without a browser takes four requests: \
        <code>POST /v1/nonce</code>, <code>POST /issue</code>, <code>POST /v1/exchange</code> with the ID token, and \
        <code>POST /google/sign-in</code>. Then the calls for a signed-in user have their Firebase ID token.</p>
        """
    }

    private var list: String {
        ConsoleOperation.Topic.allCases.map { topic in
            let items = description.operations.filter { $0.topic == topic }.map(item)
            return items.isEmpty
                ? "" : "<h3>\(topic.rawValue)</h3>\n<ul class=\"operations\">\n\(items.joined(separator: "\n"))\n</ul>"
        }.joined(separator: "\n")
    }

    private func item(_ operation: ConsoleOperation) -> String {
        """
        <li><a href="\(link(operation))"\(operation.name == self.operation?.name ? " aria-current=\"page\"" : "")>\
        <code>\(Page.escape(operation.name))</code></a> <span class="small">\(Page.escape(operation.summary))</span></li>
        """
    }

    private func link(_ operation: ConsoleOperation, example: String? = nil) -> String {
        let pairs =
            [("operation", operation.name)] + (example.map { [("example", $0)] } ?? []) + [("run", run?.id ?? "")]
        return Page.escape(Console.path + "?" + FormParameters(pairs).encoded)
    }

    // MARK: - The request

    private func form(_ operation: ConsoleOperation) -> String {
        let examples = operation.examples.map {
            "<li><a href=\"\(link(operation, example: $0.name))\">\(Page.escape($0.name))</a></li>"
        }
        return """
            <p class="lead">\(Page.escape(operation.summary))</p>
            \(operation.examples.count < 2 ? "" : "<h2>Examples</h2><ul>\(examples.joined(separator: "\n"))</ul>")
            <h2 id="request">Request</h2>
            <form method="post" action="\(Console.path)" aria-labelledby="request">
            <input type="hidden" name="operation" value="\(Page.escape(operation.name))">
            <input type="hidden" name="run" value="\(run?.id ?? "")">
            \(fields.enumerated().map { Self.field($1, number: $0) }.joined(separator: "\n"))
            <p class="small">Empty fields are omitted.</p>
            <button type="submit" class="primary">Send</button>
            </form>
            """
    }

    private static func field(_ field: ConsoleField, number: Int) -> String {
        let label =
            switch field.place {
            case .text: "<code>\(Page.escape(field.member))</code>"
            case .json: "<code>\(Page.escape(field.member))</code> <span class=\"small\">as JSON</span>"
            case .query: "<code>\(Page.escape(field.member))</code> <span class=\"small\">in the query</span>"
            case .bearer: "Firebase ID token of the user <span class=\"small\">for <code>Authorization</code></span>"
            }
        return """
            <label for="field-\(number)">\(label)</label>
            <input id="field-\(number)" name="\(Page.escape(field.name))" value="\(Page.escape(field.value))" \
            autocomplete="off" spellcheck="false">
            """
    }

    // MARK: - The answer

    private func answer(_ step: Step) -> String {
        let response = step.outcome.response
        let refusal = response.map(Verdict.init).flatMap {
            $0.isRefusal ? OutcomeView.explanation($0, at: step.kind) : nil
        }
        let body = response.map { MessageText.whole($0) } ?? ""
        let header = (response?.header ?? []).map { "\($0.name): \($0.value)" }.joined(separator: "\n")
        return """
            <section class="panel\(step.outcome.isRefusal ? " failed" : " accepted")" aria-labelledby="answer" tabindex="-1">
            <h2 id="answer">Answer</h2>
            \(OutcomeView(outcome: step.outcome).status())
            \(refusal ?? "")
            \(step.kind == .signOut && step.outcome.success != nil ? afterSignOut : "")
            \(body.isEmpty ? "" : "<p class=\"label\">Body</p>\n<pre><code id=\"body\">\(Page.escape(body))</code></pre>")
            \(header.isEmpty ? "" : Page.folded("Header", "<pre><code>\(Page.escape(header))</code></pre>"))
            \(tokens(step).map { TokenView(name: $0.name, token: $0.token, isOpen: true).html }.joined(separator: "\n"))
            <form method="post" action="/runs/\(run?.id ?? "")/steps/\(step.number)/replay">
            <button type="submit">Replay this request</button>
            </form>
            \(step.replay.map { "<div role=\"status\">\(ReplayView(step: step, outcome: $0).html)</div>" } ?? "")
            </section>
            """
    }

    /// The effects of a sign-out, with the requests that show them.
    private var afterSignOut: String {
        let requests = ["POST /google/refresh", "GET /v1/account", "POST /v1/account/signout"]
        let links = description.operations.filter { requests.contains($0.name) }.map {
            "<li><a href=\"\(link($0))\"><code>\(Page.escape($0.name))</code></a></li>"
        }
        return """
            \(SignOutView.explanation)
            <p>Send what the session still has:</p>
            <ul>\(links.joined(separator: "\n"))</ul>
            """
    }

    private func tokens(_ step: Step) -> [NamedToken] {
        (step.outcome.response.map(NamedToken.all(in:)) ?? []) + NamedToken.all(in: step.request)
            + [NamedToken("Authorization", step.request.bearer)].compactMap(\.self)
    }

    // MARK: - Programs

    private func programs(_ request: RecordedRequest) -> String {
        """
        <h2>\(step == nil ? "This request" : "The same request") as a program</h2>
        \(ConsoleProgram.allCases.map { Self.program($0, request) }.joined(separator: "\n"))
        """
    }

    private static func program(_ program: ConsoleProgram, _ request: RecordedRequest) -> String {
        let id = "program-\(program.rawValue.lowercased())"
        return """
            <details open>
            <summary>\(program.rawValue)</summary>
            <pre><code id="\(id)">\(Page.escape(program.text(request)))</code></pre>
            <button type="button" data-copies="\(id)" hidden>Copy</button> <span role="status"></span>
            </details>
            """
    }

    /// Shows the buttons that copy a program.
    ///
    /// Without the script a person selects the text.
    private static let script = """
        (function () {
        document.querySelectorAll("button[data-copies]").forEach(function (button) {
        button.hidden = false;
        button.addEventListener("click", function () {
        navigator.clipboard.writeText(document.getElementById(button.dataset.copies).textContent).then(function () {
        button.nextElementSibling.textContent = "Copied.";
        });
        });
        });
        })();
        """
}
