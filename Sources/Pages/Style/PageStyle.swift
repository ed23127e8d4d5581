/// How every page looks, in light and in dark.
///
/// One text for all languages, so that one hash allows it. Sides are named by the direction of the text
/// (`inline-start`), for Persian runs from right to left. It must hold neither `<` nor `&`, which the document would
/// read, nor two opening braces in a row, which Mustache would.
enum PageStyle {
    static let text = colours + shapes + controls

    /// The pairs that carry text differ by 4.5:1 or more, the edges of controls by 3:1 (WCAG 2.2 §1.4.3, §1.4.11).
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
