extension PageStyle {
    /// What is pressed and typed into: 44 CSS pixels high or more (WCAG 2.2 §2.5.5), with a focus ring that forced
    /// colours keep.
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
        input[name="user_code"] {
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
