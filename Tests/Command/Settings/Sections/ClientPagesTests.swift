import OperatingSystem
import Settings
import Support
import Testing

/// The section `pages` of a client.
@Suite("Client pages")
struct ClientPagesTests {
    private static let https = "write https:// at its beginning; http:// is only for loopback"
    private static let key = "clients.my-app.pages"
    private static let line = "name: My App"

    static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
    static let webP = Array("RIFF\u{1}\u{2}\u{3}\u{4}WEBPVP8 ".utf8)

    /// A loader that reads one image, at any path except `/none`.
    private static func loader(_ image: [UInt8] = png, exposure: FileExposure = []) -> SettingsLoader {
        SettingsLoader(environment: Sample.environment) { path throws(SettingsFileError) in
            if let text = Sample.files[path] { return SettingsFile(bytes: Array(text.utf8)) }
            guard path != "/none" else { throw .missing }
            return SettingsFile(bytes: image, exposure: exposure)
        }
    }

    private static func parse(_ members: String, _ loader: SettingsLoader = loader()) throws -> Settings {
        try loader.parse(yaml: try Sample.changing(line, to: "pages:\n\(members)").yaml)
    }

    private static func expectRefusal(
        _ member: String, _ key: String, _ message: String, _ loader: SettingsLoader = loader(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (yaml, line) = try Sample.changing(line, to: "pages:\n  \(member)")
        let problem = SettingsProblem(line: line + 1, key: "\(Self.key).\(key)", message: message)
        #expect(throws: SettingsProblems([problem]), sourceLocation: sourceLocation) { try loader.parse(yaml: yaml) }
    }

    @Test("The section is read, and config check prints it")
    func section() throws {
        let settings = try Self.parse(
            """
              logo: /brand/logo.png
              accent_color: "#3046B8"
              privacy_url: https://example.com/privacy
              terms_url: https://example.com/terms?lang=en
              support_url: https://help.example.com
            """)
        let pages = try #require(settings.clients.first?.pages)
        #expect(pages.logo?.path == "/brand/logo.png")
        #expect(pages.logo?.format == .png)
        #expect(pages.logo?.bytes == Self.png)
        #expect(pages.accentColor == "#3046b8")
        #expect(pages.privacyURL == "https://example.com/privacy")
        #expect(pages.termsURL == "https://example.com/terms?lang=en")
        #expect(pages.supportURL == "https://help.example.com")
        #expect(settings.summary.contains("\(Self.key).logo: /brand/logo.png (image/png)"))
    }

    @Test("An unknown key of the section is refused")
    func unknownKey() throws {
        try Self.expectRefusal(
            "acent_color: \"#3046b8\"", "acent_color", "is not a key of this section: did you mean accent_color?")
    }

    @Test("An image is recognized by its first bytes, whatever its name is")
    func formats() throws {
        func format(_ bytes: [UInt8]) throws -> Settings.Logo.Format? {
            try Self.parse("  logo: /logo.gif", Self.loader(bytes)).clients.first?.pages.logo?.format
        }
        #expect(try format(Self.png) == .png)
        #expect(try format([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(try format(Self.webP) == .webP)
        #expect(try format(Self.png + [UInt8](repeating: 0, count: 65_536 - Self.png.count)) == .png)
    }

    private static let others: [[UInt8]] = [
        [], Array("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), Array("GIF89a".utf8), Array("BM".utf8),
        Array(png.prefix(12)), Array(png.prefix(12)) + Array("IDAT".utf8), [0xFF, 0xD8], Array(webP.prefix(8)),
        Array("RIFF0000WAVE".utf8), Array(" ".utf8) + png, Array("<script>alert(1)</script>".utf8),
    ]

    @Test("A file that is not a known image is refused", arguments: others)
    func otherFormat(bytes: [UInt8]) throws {
        try Self.expectRefusal(
            "logo: /logo.png", "logo",
            "the file /logo.png is not a PNG, JPEG or WebP image: convert it to one of these formats",
            Self.loader(bytes))
    }

    @Test("A logo that is too large, missing, or named by a relative path is refused")
    func logoFile() throws {
        try Self.expectRefusal(
            "logo: /logo.png", "logo", "the file /logo.png is larger than 65536 bytes: use a smaller image",
            Self.loader(Self.png + [UInt8](repeating: 0, count: 65_537 - Self.png.count)))
        try Self.expectRefusal("logo: /none", "logo", "the file /none does not exist")
        try Self.expectRefusal(
            "logo: logo.png", "logo", "write an absolute path, such as /etc/token-exchange/logo.png")
    }

    @Test("A logo that other users can write is refused; they may read it")
    func logoPermissions() throws {
        #expect(throws: Never.self) { try Self.parse("  logo: /logo.png", Self.loader(exposure: .readable)) }
        let (yaml, line) = try Sample.changing(Self.line, to: "pages:\n  logo: /logo.png")
        let error = #expect(throws: SettingsProblems.self) { try Self.loader(exposure: .writable).parse(yaml: yaml) }
        let problem = try #require(error?.problems.first)
        #expect(error?.problems.count == 1 && problem.line == line + 1 && problem.key == "\(Self.key).logo")
        #expect(problem.message.contains("chmod go-w"))
    }

    @Test(
        "A colour on which white text is not readable is refused, with its contrast",
        arguments: [
            ("#777777", "4.4"), ("#ffffff", "1.0"), ("#ff0000", "3.9"), ("#00ff00", "1.3"), ("#808080", "3.9"),
        ])
    func contrast(color: String, ratio: String) throws {
        try Self.expectRefusal(
            "accent_color: \"\(color)\"", "accent_color",
            "has a contrast of only \(ratio):1 with the white text on it: choose a darker colour, "
                + "with at least 4.5:1 (WCAG 2.2)")
    }

    @Test("The least contrast of 4.5:1 is accepted", arguments: ["#767676", "#000000", "#0000ff", "#ee0000"])
    func sufficientContrast(color: String) throws {
        #expect(try Self.parse("  accent_color: \"\(color)\"").clients.first?.pages.accentColor == color)
    }

    @Test(
        "A text that is not a colour is refused",
        arguments: ["blue", "3046b8", "#3046b", "#3046b80", "#3046bg", "#+046b8", "rgb(0,0,0)", "#३०४६५८"])
    func color(text: String) throws {
        try Self.expectRefusal(
            "accent_color: \"\(text)\"", "accent_color",
            "is not a colour: write # and six hexadecimal digits in quotes, such as \"#3046b8\"")
    }

    @Test("A colour without quotes, which YAML reads as a comment, is not ignored")
    func comment() throws {
        try Self.expectRefusal(
            "accent_color: #3046b8", "accent_color",
            "is empty: write the colour in quotes, such as \"#3046b8\", because # begins a comment in YAML")
        #expect(try Self.parse("  accent_color: null").clients.first?.pages.accentColor == nil)
    }

    @Test(
        "A link that is not an absolute https URL is refused",
        arguments: ["privacy_url", "terms_url", "support_url"],
        [
            ("http://example.com/", "write https:// at its beginning; http:// is only for loopback"),
            ("javascript:alert(1)", https),
            ("/privacy", https),
            ("https://user@example.com/", "must not have a user name or password: leave out the part before @"),
        ])
    func link(key: String, example: (text: String, message: String)) throws {
        try Self.expectRefusal("\(key): \"\(example.text)\"", key, example.message)
    }

    @Test("A link of more than 1000 characters is refused")
    func longLink() throws {
        let url = "https://example.com/".padding(to: 1000)
        #expect(try Self.parse("  terms_url: \(url)").clients.first?.pages.termsURL == url)
        try Self.expectRefusal("terms_url: \(url)a", "terms_url", "must be at most 1000 characters long")
    }
}

extension String {
    fileprivate func padding(to length: Int) -> String { self + String(repeating: "a", count: length - utf8.count) }
}
