extension Template {
    /// Drawings that say nothing a screen reader would miss.
    static let icons = [
        "personIcon": icon(#"<circle cx="12" cy="8" r="4" /><path d="M4 20.5a8 8 0 0 1 16 0" />"#),
        "deviceIcon": icon(#"<rect x="3" y="4" width="18" height="12.5" rx="2" /><path d="M8.5 20.5h7" />"#),
        "doneIcon": icon(#"<path d="M5 12.5l4.5 4.5L19 7.5" />"#, tone: "good"),
        "refusedIcon": icon(#"<path d="M6.5 6.5l11 11M17.5 6.5l-11 11" />"#, tone: "calm"),
        "problemIcon": icon(#"<path d="M12 4.5v9.5M12 19v.01" />"#, tone: "bad"),
        "chevron":
            #"<svg class="chevron" viewBox="0 0 24 24" aria-hidden="true"><path d="M9 5.5l6.5 6.5L9 18.5" /></svg>"#,
    ]

    private static func icon(_ drawing: String, tone: String = "plain") -> String {
        #"<svg class="mark \#(tone)" viewBox="0 0 24 24" aria-hidden="true">\#(drawing)</svg>"#
    }
}
