/// The style sheet of all pages, for light and dark mode.
///
/// All languages share one text, so that one hash allows it. Sides are named relative to the direction of the text
/// (`inline-start`), because Persian and Arabic are written from right to left. The text must not contain `<` or `&`,
/// which HTML would interpret, nor two consecutive opening braces, which Mustache would interpret.
enum PageStyle {
    static let text = colours + shapes + controls

    /// The colours.
    ///
    /// The contrast of text is at least 4.5:1, that of edges of controls 3:1 (WCAG 2.2 §1.4.3, §1.4.11).
    static let colours = """

        :root {
          color-scheme: light dark;
          --page: #f1f3f7;
          --card: #ffffff;
          --edge: #dfe3ea;
          --ink: #1a1f2b;
          --soft: #535c6c;
          --line: #7a8496;
          --accent: #3046b8;
          --tint: #eaedfb;
          --on-accent: #ffffff;
          --good: #17693f;
          --good-tint: #e3f3e9;
          --bad: #a62a22;
          --bad-tint: #fcebe9;
          --heed: #6b4a00;
          --heed-tint: #fcf3dc;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --page: #10131a;
            --card: #191d26;
            --edge: #2a303d;
            --ink: #eceff5;
            --soft: #aab2c1;
            --line: #7d8799;
            --accent: #aebcff;
            --tint: #262d47;
            --on-accent: #141a35;
            --good: #8bd6a8;
            --good-tint: #1b3326;
            --bad: #ffb0a8;
            --bad-tint: #41211f;
            --heed: #f0cf87;
            --heed-tint: #352b14;
          }
        }

        """
}

extension PageStyle {
    /// The rules for the page, its card and its text.
    ///
    /// Each script has a list of suitable system fonts.
    static let shapes = """
        *, ::before, ::after { box-sizing: border-box; }
        html {
          font-family: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
          line-height: 1.55;
          -webkit-text-size-adjust: 100%;
          text-size-adjust: 100%;
        }
        html:lang(hi) {
          font-family: "Kohinoor Devanagari", "Nirmala UI", "Noto Sans Devanagari", system-ui, sans-serif;
          line-height: 1.7;
        }
        html:lang(bn) {
          font-family: "Kohinoor Bangla", "Nirmala UI", "Noto Sans Bengali", system-ui, sans-serif;
          line-height: 1.7;
        }
        html:lang(fa), html:lang(ar) {
          font-family: Vazirmatn, "SF Arabic", "Segoe UI", "Noto Sans Arabic", Tahoma, system-ui, sans-serif;
          line-height: 1.85;
        }
        html:lang(ja) {
          font-family: "Hiragino Sans", "Yu Gothic UI", Meiryo, "Noto Sans CJK JP", system-ui, sans-serif;
          line-height: 1.7;
          line-break: strict;
        }
        body {
          margin: 0;
          min-block-size: 100vh;
          min-block-size: 100dvh;
          padding: 2rem 1rem;
          display: flex;
          flex-direction: column;
          align-items: center;
          justify-content: center;
          gap: 1.25rem;
          background: var(--page);
          color: var(--ink);
          overflow-wrap: anywhere;
        }
        main {
          inline-size: 100%;
          max-inline-size: 28rem;
          padding: 2.5rem;
          background: var(--card);
          border: 1px solid var(--edge);
          border-radius: 1.25rem;
          box-shadow: 0 1.5rem 3rem -1.5rem rgb(16 22 44 / 0.18);
        }
        main > :last-child { margin-block-end: 0; }
        footer { max-inline-size: 28rem; text-align: center; font-size: 0.875rem; color: var(--soft); }
        footer p { margin: 0; }
        h1 { margin: 0 0 0.625rem; font-size: 1.625rem; line-height: 1.3; font-weight: 650; text-wrap: balance; }
        h1:lang(hi), h1:lang(bn), h1:lang(fa), h1:lang(ar) { line-height: 1.5; font-weight: 700; }
        h1 strong { font-weight: inherit; color: var(--accent); }
        h1 strong bdi { display: inline-block; max-inline-size: 100%; }
        p { margin: 0 0 1rem; text-wrap: pretty; }
        .lead { margin-block-end: 1.5rem; color: var(--soft); font-size: 1.0625rem; }
        .lead strong, .note .fact { color: var(--ink); font-weight: 600; }
        .note { margin-block-start: 1.25rem; color: var(--soft); font-size: 0.9375rem; text-align: center; }
        .logo { display: block; max-inline-size: 100%; max-block-size: 4rem; margin-block-end: 1.5rem; }
        .mark {
          display: block;
          inline-size: 3rem;
          block-size: 3rem;
          margin-block-end: 1.25rem;
          padding: 0.6875rem;
          border-radius: 50%;
          background: var(--tint);
          color: var(--accent);
        }
        .mark, .chevron {
          fill: none;
          stroke: currentColor;
          stroke-width: 2;
          stroke-linecap: round;
          stroke-linejoin: round;
        }
        .mark.good { background: var(--good-tint); color: var(--good); }
        .mark.bad { background: var(--bad-tint); color: var(--bad); }
        .mark.calm { background: var(--page); color: var(--soft); }
        .panel {
          margin-block-end: 1.25rem;
          padding: 0.875rem 1.125rem;
          border-radius: 0.875rem;
          background: var(--tint);
        }
        .panel strong { display: inline-block; max-inline-size: 100%; font-weight: 650; }
        .code {
          text-align: center;
          font: 600 1.875rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace;
          letter-spacing: 0.06em;
        }
        .caution, .alert {
          padding: 0.75rem 1rem;
          border-inline-start: 0.25rem solid currentColor;
          border-radius: 0.5rem;
          font-size: 0.9375rem;
        }
        .caution { margin-block-end: 1.5rem; background: var(--heed-tint); color: var(--heed); }
        .alert { margin-block-end: 0.75rem; background: var(--bad-tint); color: var(--bad); }
        @media (max-width: 32rem) {
          body { padding: 0; gap: 0; justify-content: flex-start; background: var(--card); }
          main { padding: 2rem 1.25rem; border: 0; border-radius: 0; box-shadow: none; }
          footer { padding: 0 1.25rem 2rem; align-self: stretch; text-align: start; }
        }

        """
}

extension PageStyle {
    /// The rules for buttons and fields.
    ///
    /// They are at least 44 CSS pixels high (WCAG 2.2 §2.5.5), with a focus ring that is visible with forced colours too.
    static let controls = """
        form, .choices { display: grid; gap: 0.75rem; margin: 0; }
        label { font-weight: 600; }
        .hint { margin: -0.75rem 0 0; color: var(--soft); font-size: 0.9375rem; }
        button, .button {
          display: flex;
          align-items: center;
          justify-content: center;
          inline-size: 100%;
          min-block-size: 3.25rem;
          padding: 0.625rem 1.125rem;
          border: 1px solid transparent;
          border-radius: 0.875rem;
          background: transparent;
          color: var(--ink);
          font: inherit;
          font-weight: 600;
          line-height: 1.4;
          text-align: center;
          text-decoration: none;
          cursor: pointer;
        }
        .primary { background: var(--accent); color: var(--on-accent); }
        .primary:hover { filter: brightness(1.08); }
        .choice, .secondary { border-color: var(--line); background: var(--card); }
        .choice { justify-content: space-between; gap: 1rem; text-align: start; }
        .choice:hover, .secondary:hover { border-color: var(--accent); background: var(--tint); }
        .quiet { min-block-size: 2.75rem; color: var(--accent); }
        .quiet:hover { text-decoration: underline; text-underline-offset: 0.2em; }
        .chevron { flex: none; inline-size: 1.25rem; block-size: 1.25rem; color: var(--soft); }
        [dir="rtl"] .chevron { transform: scaleX(-1); }
        .links { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.25rem 1.25rem; }
        .links a { padding-block: 0.75rem; color: var(--soft); text-underline-offset: 0.2em; }
        .languages summary { padding: 0.75rem; border-radius: 0.875rem; cursor: pointer; }
        .languages summary bdi { color: var(--ink); font-weight: 600; }
        .languages div { display: flex; flex-wrap: wrap; justify-content: center; gap: 0.25rem; }
        .languages:not([open]) div { display: none; }
        .languages button { inline-size: auto; min-block-size: 2.75rem; font-weight: 400; text-decoration: underline; }
        .languages button:hover { background: var(--tint); }
        input[type="text"] {
          inline-size: 100%;
          min-block-size: 3.75rem;
          padding: 0.5rem 1rem;
          border: 2px solid var(--line);
          border-radius: 0.875rem;
          background: var(--card);
          color: var(--ink);
          font: 600 1.625rem/1.4 ui-monospace, SFMono-Regular, Menlo, Consolas, "Noto Sans Mono", monospace;
          letter-spacing: 0.06em;
          text-align: center;
          text-transform: uppercase;
        }
        input[aria-invalid="true"] { border-color: var(--bad); }
        :focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
        @media (prefers-reduced-motion: no-preference) {
          button, .button { transition: background-color 120ms, border-color 120ms; }
        }
        @media (forced-colors: active) {
          .caution, .alert, .panel { border: 1px solid; }
          .primary { border-width: 2px; }
        }

        """
}
