extension Settings {
    /// The section `pages` of a client: what its pages show besides its name.
    package struct ClientPages: Sendable, Equatable {
        package let logo: Settings.Logo?
        /// The colour of buttons, `#rrggbb` in lower case; white text on it has a contrast of at least 4.5:1.
        package let accentColor: String?
        /// The `https` URLs of the company's own pages.
        package let privacyURL: String?
        package let termsURL: String?
        package let supportURL: String?
    }
}

extension Settings.ClientPages {
    private static let keys = ["logo", "accent_color", "privacy_url", "terms_url", "support_url"]

    static func read(in client: Section) -> Self {
        let section = client.section("pages", keys: keys)
        if section.isBlank("accent_color") {
            section.refuse(
                "accent_color",
                "is empty: write the colour in quotes, such as \"#3046b8\", because # begins a comment in YAML")
        }
        return Self(
            logo: section["logo"]?.logo(),
            accentColor: section["accent_color"]?.accentColor(),
            privacyURL: section["privacy_url"]?.pageURL(),
            termsURL: section["terms_url"]?.pageURL(),
            supportURL: section["support_url"]?.pageURL())
    }
}
