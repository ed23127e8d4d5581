import OpenSSL

/// A small page without resources of other origins, readable without its style sheet.
struct Page {
    let title: String
    /// HTML in which the caller has escaped all texts.
    let content: String
    /// Whether the page uses a wide layout.
    var isWide = false

    /// The text of a script at the end of the page; `nil` for a page without scripts.
    var script: String?

    /// The policy allows exactly the text of the script, by its hash.
    ///
    /// It does not set `form-action`: browsers apply it to the redirects after a form, which lead to applications of any
    /// origin.
    private var policy: String {
        let hash = script.map { "script-src 'sha256-\(Base64.encode(SHA256.hash(Array($0.utf8))))'; " }
        return "default-src 'none'; \(hash ?? "")style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
    }

    func answer(status: Int = 200) -> Answer {
        let html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Self.escape(title))</title>
            <link rel="stylesheet" href="/style.css">
            </head>
            <body>
            <main\(isWide ? " class=\"wide\"" : "")>
            <h1>\(Self.escape(title))</h1>
            \(content)
            </main>
            \(script.map { "<script>\($0)</script>" } ?? "")
            </body>
            </html>

            """
        return Answer(
            status,
            header: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy), ("Referrer-Policy", "no-referrer"),
                ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
            ], body: Array(html.utf8))
    }

    /// A closed `details` element with HTML.
    static func folded(_ title: String, _ content: String) -> String {
        """
        <details>
        <summary>\(title)</summary>
        \(content)
        </details>
        """
    }

    /// A page with one paragraph of plain text.
    static func message(_ title: String, _ text: String, status: Int = 200) -> Answer {
        Page(title: title, content: "<p>\(escape(text))</p>").answer(status: status)
    }

    /// Escapes a text for element content and for attribute values in double quotes.
    static func escape(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}

/// The style sheet of all pages.
enum StyleSheet {
    static var answer: Answer {
        Answer(200, header: [("Content-Type", "text/css; charset=utf-8")], body: Array(css.utf8))
    }

    private static let css = """
        :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif;
          --ink: #1b1d22; --paper: #fff; --soft: #f3f4f6; --line: #c9ced6; --quiet: #565d69; --link: #1d4ed8;
          --good: #166534; --good-soft: #effaf2; --bad: #9a1c1c; --bad-soft: #fdf2f1; --warn: #8a4b00; --warn-soft: #fff7e8; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e8ec; --paper: #15171b; --soft: #1f2228; --line: #434a55;
          --quiet: #a7afbb; --link: #93b4ff; --good: #7fd8a0; --good-soft: #14261b; --bad: #ff9d94; --bad-soft: #2b1817;
          --warn: #ffc677; --warn-soft: #2a2012; } }
        * { box-sizing: border-box; }
        body { margin: 0; color: var(--ink); background: var(--paper); }
        main { max-width: 34rem; margin: 2rem auto; padding: 0 1rem; }
        main.wide { max-width: 60rem; }
        h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 1rem; }
        h2 { font-size: 1.25rem; line-height: 1.3; margin: 2rem 0 .6rem; }
        h3 { font-size: 1.05rem; line-height: 1.35; margin: 0 0 .3rem; }
        p { margin: .5rem 0; } ul, ol { padding-left: 1.4rem; }
        a { color: var(--link); }
        .lead { font-size: 1.1rem; }
        .small { font-size: .875rem; color: var(--quiet); }
        code, pre { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: .9em; }
        code { overflow-wrap: anywhere; }
        pre { margin: .4rem 0; padding: .6rem .8rem; background: var(--soft); border-radius: .4rem; white-space: pre-wrap;
          overflow-wrap: anywhere; }
        fieldset { margin: 1rem 0; } label { display: block; padding: .4rem 0; }
        button { font: inherit; min-height: 2.75rem; padding: .4rem 1.1rem; margin: .2rem .4rem .2rem 0; cursor: pointer;
          color: var(--ink); background: var(--soft); border: 1px solid var(--quiet); border-radius: .5rem; }
        button:hover { border-color: var(--ink); }
        button.primary { color: #fff; background: #1d4ed8; border-color: #1d4ed8; font-weight: 600; }
        button.primary:hover { background: #1e40af; }
        :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
        input:not([type=hidden]) { font: inherit; width: 100%; min-height: 2.75rem; padding: .4rem .6rem; color: var(--ink);
          background: var(--paper); border: 1px solid var(--quiet); border-radius: .5rem; }
        input[type=checkbox], input[type=radio] { width: auto; min-height: 0; }
        .operations li { margin: .4rem 0; }
        .users { list-style: none; padding: 0; display: grid; gap: .6rem;
          grid-template-columns: repeat(auto-fill, minmax(min(100%, 19rem), 1fr)); }
        .users li { display: flex; flex-direction: column; border: 1px solid var(--line); border-radius: .5rem;
          padding: .6rem 1rem; }
        .users form { margin-top: auto; } .totp { font-size: 1.2rem; }
        .against li { margin: .3rem 0; }
        .panel { border: 1px solid var(--line); border-left: .35rem solid var(--quiet); border-radius: .5rem;
          padding: .9rem 1.1rem; margin: 1.2rem 0; }
        .panel h2 { margin: 0 0 .4rem; }
        .first { border-left-color: var(--link); background: var(--soft); }
        .accepted { border-left-color: var(--good); background: var(--good-soft); }
        .defended.panel, .defended.replay { border-left-color: var(--good); background: var(--good-soft); }
        .defended strong:first-child::before { content: "✓ "; color: var(--good); }
        .fault.replay { border-left-color: var(--bad); background: var(--bad-soft); }
        .failed { border-left-color: var(--warn); background: var(--warn-soft); }
        .panel pre { background: var(--paper); }
        .code { font-size: 2rem; letter-spacing: .1em; margin: .4rem 0; }
        .cards { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)); }
        .card { display: flex; flex-direction: column; border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
        .card form { margin-top: auto; display: flex; flex-direction: column; gap: .2rem; }
        .card button { margin-right: 0; text-align: left; }
        .attack { border-color: var(--bad); grid-column: 1 / -1; }
        .attack form { display: grid; gap: .2rem .6rem;
          grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); }
        .providers { grid-column: 1 / -1; }
        .providers form { flex-flow: row wrap; }
        .drawing { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; padding: .4rem;
          margin: 0 0 1.2rem; }
        .drawing svg { display: block; margin: 0 auto; font-size: 12px; }
        .drawing text { fill: var(--ink); } .drawing .name { font-weight: 600; font-size: 14px; }
        .drawing .life { stroke: var(--line); stroke-width: 2; stroke-dasharray: 4 4; }
        .arrow line { stroke: var(--link); stroke-width: 2; } .arrow polygon { fill: var(--link); }
        .arrow rect { fill: transparent; } .arrow:hover rect { fill: var(--soft); }
        .arrow text { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
        .arrow.stopped line { stroke: var(--quiet); stroke-dasharray: 6 3; } .arrow.stopped polygon { fill: var(--quiet); }
        .steps { list-style: none; padding: 0; counter-reset: step; }
        .step { counter-increment: step; border: 1px solid var(--line); border-radius: .5rem; padding: .3rem 1.1rem;
          margin: 0 0 .6rem; }
        .step > details > summary { padding: .5rem 0; color: inherit; }
        .step > details > summary h3 { display: inline; color: var(--link); }
        .step > details > div { scroll-margin-top: 8rem; padding-bottom: .6rem; }
        .inner { margin-left: clamp(0rem, 5vw, 3rem); border-style: dashed; }
        .step:has(:target) { border-color: var(--link); box-shadow: 0 0 0 1px var(--link); }
        .step h3::before { content: counter(step) ". "; }
        .route, summary .status { display: block; } .route { color: var(--quiet); }
        .status.refused { color: var(--bad); }
        .replay { border-left: .35rem solid var(--line); border-radius: .4rem; padding: .4rem .9rem; margin: .6rem 0 0; }
        details { margin: .4rem 0; } summary { cursor: pointer; padding: .2rem 0; color: var(--link); }
        .label { margin: .4rem 0 0; font-size: .875rem; font-weight: 600; }
        dl { margin: .5rem 0; } dl div { display: flex; flex-wrap: wrap; gap: 0 .8rem; padding: .15rem 0; }
        dt { flex: 0 0 9rem; color: var(--quiet); } dd { margin: 0; flex: 1 1 14rem; }
        .times dt { flex-basis: 5rem; }
        .again { display: flex; flex-wrap: wrap; align-items: center; gap: .8rem; }

        """
}
