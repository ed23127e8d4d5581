extension Settings {
    /// The section `pages` of a client: what its pages show besides its name.
    package struct ClientPages: SettingsSection {
        package var logo: Settings.Logo?
        /// The colour of buttons, `#rrggbb` in lower case; white text on it has a contrast of at least 4.5:1.
        package var accentColor: String?
        /// The `https` URLs of the company's own pages.
        package var privacyURL: String?
        package var termsURL: String?
        package var supportURL: String?

        static let keys: [Key<Self>] = [
            .optional(
                "logo", \.logo,
                Rule({ $0.logo() }, write: { "\($0.path) (\($0.format.rawValue))" })),
            .optional("accent_color", \.accentColor, .value { $0.accentColor() }),
            .optional("privacy_url", \.privacyURL, .value { $0.pageURL() }),
            .optional("terms_url", \.termsURL, .value { $0.pageURL() }),
            .optional("support_url", \.supportURL, .value { $0.pageURL() }),
        ]

        func check(_ section: Section) {
            guard section.isBlank("accent_color") else { return }
            section.refuse(
                "accent_color",
                "is empty: write the colour in quotes, such as \"#3046b8\", because # begins a comment in YAML")
        }
    }
}
