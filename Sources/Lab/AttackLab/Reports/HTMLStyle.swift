/// The style sheet of the page: light or dark as the reader's system, and for printing.
enum HTMLStyle {
    static let text = """
        :root { color-scheme: light dark; --ink: #1b1f24; --soft: #57606a; --paper: #fff; --card: #f6f8fa; --line: #d0d7de;
          --good: #1a7f37; --bad: #cf222e; --doubt: #9a6700; --idle: #afb8c1; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6edf3; --soft: #9198a1; --paper: #0d1117; --card: #161b22;
          --line: #30363d; --good: #3fb950; --bad: #f85149; --doubt: #d29922; --idle: #484f58; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 76rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
          font: 1rem/1.5 system-ui, sans-serif; }
        h1 { margin: 0; font-size: 2rem; line-height: 1.2; } h2 { margin: 2.5rem 0 .75rem; font-size: 1.25rem; }
        h3 { margin: 0; font-size: .9rem; } h4 { margin: 1rem 0 .25rem; font-size: .9rem; }
        h5 { margin: .5rem 0 .25rem; font-size: .8rem; color: var(--soft); }
        a { color: inherit; } .tool, header p, .stage p, footer, .key, dt { color: var(--soft); } .tool { margin: 0; }
        .tiles { display: flex; flex-wrap: wrap; gap: .75rem; padding: 0; margin: 1rem 0 0; list-style: none; }
        .tiles li { padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card); }
        .tiles strong { font-size: 1.5rem; margin-right: .25rem; } .tiles .none { color: var(--soft); }
        .tiles .blocked strong { color: var(--good); } .tiles .broken strong { color: var(--bad); }
        .tiles .inconclusive strong { color: var(--doubt); }
        .pipeline { display: grid; grid-template-columns: repeat(auto-fill, minmax(14rem, 1fr)); gap: .75rem; }
        .stage { padding: .75rem; border: 1px solid var(--line); border-left: .25rem solid var(--good); border-radius: .5rem;
          background: var(--card); } .stage.broken { border-left-color: var(--bad); }
        .stage p { margin: 0 0 .5rem; font-size: .85rem; } .stage h3 a { text-decoration: none; }
        .cells { display: flex; flex-wrap: wrap; gap: 3px; }
        .cell { display: inline-block; width: .85rem; height: .85rem; border-radius: 3px; background: var(--idle); }
        .cell.blocked { background: var(--good); } .cell.broken { background: var(--bad); border-radius: 50%; }
        .cell.inconclusive { background: var(--doubt); transform: rotate(45deg) scale(.8); }
        .cell span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
        .key { font-size: .85rem; } .key .cell { margin-left: .75rem; vertical-align: -.1rem; }
        details { border-top: 1px solid var(--line); padding: .35rem 0; } details[open] { padding-bottom: 1rem; }
        details:target { outline: 2px solid var(--doubt); outline-offset: 4px; }
        summary { cursor: pointer; } summary:focus-visible, a:focus-visible { outline: 2px solid currentColor; }
        .verdict { display: inline-block; min-width: 6.5rem; font-weight: 600; color: var(--soft); }
        .verdict.blocked { color: var(--good); } .verdict.broken { color: var(--bad); }
        .verdict.inconclusive { color: var(--doubt); }
        .severity { font-size: .75rem; padding: 0 .4rem; border: 1px solid var(--line); border-radius: 1rem;
          color: var(--soft); white-space: nowrap; }
        .verdict:not(.blocked) ~ .severity.critical { color: var(--bad); border-color: currentColor; }
        dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .5rem 0; font-size: .9rem; }
        dd { margin: 0; } .remarks { margin: .5rem 0; color: var(--bad); font-weight: 600; }
        .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: .5rem; }
        pre { margin: 0; padding: .6rem; overflow: auto; max-height: 24rem; border-radius: .4rem; background: var(--card);
          border: 1px solid var(--line); font: .78rem/1.45 ui-monospace, monospace; white-space: pre-wrap;
          overflow-wrap: anywhere; }
        .shot.wrong .pair pre { border-color: var(--bad); }
        footer { margin-top: 3rem; border-top: 1px solid var(--line); font-size: .85rem; }
        @media print { details:not([open]) { display: none; } pre { max-height: none; } }
        """
}

/// The escaping of text for XML and HTML.
enum Markup {
    /// Escapes each scalar, so that a quotation mark followed by a combining mark is escaped too.
    ///
    /// Characters that XML 1.0 does not allow are removed.
    static func escape(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;".unicodeScalars
            case "<": escaped += "&lt;".unicodeScalars
            case ">": escaped += "&gt;".unicodeScalars
            case "\"": escaped += "&quot;".unicodeScalars
            case "'": escaped += "&#39;".unicodeScalars
            case "\n", "\t": escaped.append(scalar)
            case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): break
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
    }
}
