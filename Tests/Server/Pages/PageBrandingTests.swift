import OpenSSL
import Standards
import Testing

@testable import Server

@Suite("Branding")
struct PageBrandingTests {
    let renderer: PageRenderer

    init() throws {
        renderer = try Sample.renderer.get()
    }

    static let whole = PageBranding(
        application: "Aurora", logo: "/logo/abc", accent: AccentColor("#7a1f6b"),
        privacyURL: "https://aurora.example/privacy?a=b&c=d", termsURL: "https://aurora.example/terms",
        supportURL: "https://help.aurora.example/")
    static let none = PageBranding(
        application: "Aurora", logo: nil, accent: nil, privacyURL: nil, termsURL: nil, supportURL: nil)

    func document(_ page: Page, _ branding: PageBranding, in language: PageLanguage = .english) throws -> Element {
        try #require(Element.document(renderer.html(page, in: language, branding: branding)))
    }

    @Test("Every page shows the logo, and the name of the application in its place", arguments: Sample.pages)
    func logo(_ page: Page) throws {
        let html = try document(page, Self.whole)
        #expect(
            html.all("img").map(\.attributes) == [["class": "logo", "src": "/logo/abc", "alt": "Aurora"]])
        #expect(html.all("link").map(\.attributes) == [["rel": "icon", "href": "/logo/abc"]])
        let plain = try document(page, Self.none)
        #expect(plain.all("img").isEmpty)
    }

    @Test("Every page has the links, which open beside the page", arguments: Sample.pages)
    func links(_ page: Page) throws {
        let links = try document(page, Self.whole).all("a").filter { $0.attributes["target"] == "_blank" }
        #expect(
            links.map { $0.attributes["href"] } == [
                "https://aurora.example/privacy?a=b&c=d", "https://aurora.example/terms",
                "https://help.aurora.example/",
            ])
        #expect(links.map(\.text) == ["Privacy", "Terms", "Support"])
        #expect(links.allSatisfy { $0.attributes["rel"] == "noopener noreferrer" })
        #expect(try document(page, Self.none).all("a").allSatisfy { $0.attributes["target"] == nil })
    }

    @Test("A page has one footer, and none without content")
    func footer() throws {
        let done = Page.deviceApproved(application: "Aurora")
        #expect(try document(done, Self.none).all("footer").isEmpty)
        for page in Sample.pages { #expect(try document(page, Self.whole).all("footer").count == 1) }
    }

    @Test("A link that is not configured is left out")
    func someLinks() throws {
        let branding = PageBranding(
            application: "Aurora", logo: nil, accent: nil, privacyURL: nil, termsURL: "https://a.example/",
            supportURL: nil)
        let links = try document(.deviceApproved(application: "Aurora"), branding).all("a")
        #expect(links.map(\.text) == ["Terms"])
    }

    @Test("The labels of the links are translated", arguments: PageLanguage.allCases.filter { $0 != .english })
    func labels(_ language: PageLanguage) throws {
        let page = Page.deviceApproved(application: "Aurora")
        let texts = try document(page, Self.whole, in: language).all("a").map(\.text)
        #expect(Set(texts).count == 3)
        #expect(Set(texts).isDisjoint(with: ["Privacy", "Terms", "Support"]))
    }

    @Test("The policy allows the logo and both styles, and nothing else", arguments: Sample.pages)
    func policy(_ page: Page) throws {
        let styles = try document(page, Self.whole).all("style").map(\.text)
        #expect(styles.count == 2)
        let hashes = styles.map { "'sha256-\(Base64.encode(SHA256.hash(Array($0.utf8))))'" }.joined(separator: " ")
        let policy = renderer.contentSecurityPolicy(for: page, branding: Self.whole)
        let scripts = try document(page, Self.whole).all("script").map(\.wholeText).map { script in
            " script-src 'sha256-\(Base64.encode(SHA256.hash(Array(script.utf8))))';"
        }.joined()
        let fixed =
            "default-src 'none';\(scripts) style-src \(hashes); img-src 'self'; base-uri 'none'; frame-ancestors 'none'"
        #expect(policy == fixed || policy.hasPrefix(fixed + "; form-action "))
        #expect(
            renderer.contentSecurityPolicy(for: page, branding: Self.none) == renderer.contentSecurityPolicy(for: page))
    }

    @Test("Attack text in the values changes no element and no attribute")
    func attack() throws {
        func shape(_ text: String) throws -> [String] {
            let branding = PageBranding(
                application: text, logo: text, accent: nil, privacyURL: text, termsURL: text, supportURL: text)
            return try document(.deviceApproved(application: "A"), branding).all.map {
                $0.name + " " + $0.attributes.keys.sorted().joined(separator: " ")
            }
        }
        for text in [#""><script>alert(1)</script>"#, "' onload='x", "\"\u{301} onload=x", "{{>style}}", "<!--"] {
            #expect(try shape(text) == shape("peace"))
        }
    }

    @Test(
        "A text that is not a colour is none",
        arguments: ["", "#", "7a1f6b", "#7a1f6", "#7a1f6b0", "#7a1f6g", "#-a1f6b", "#+a1f6b", "red"])
    func notAColor(_ text: String) {
        #expect(AccentColor(text) == nil)
    }
}

/// The colours that replace those of ``PageStyleTests``.
@Suite("Contrast of a configured colour")
struct AccentContrastTests {
    static let white = PageStyleTests.luminance(0xFFFFFF)

    /// Colours of all hues that the configuration accepts, among them the lightest ones.
    static let accepted: [Int] = {
        let steps = stride(from: 0, through: 255, by: 51)
        let grid = steps.flatMap { red in steps.flatMap { green in steps.map { red << 16 | green << 8 | $0 } } }
        return (grid + [0x767676, 0xEE0000, 0x008A00, 0x7A1F6B]).filter {
            (white + 0.05) / (PageStyleTests.luminance($0) + 0.05) >= 4.5
        }
    }()

    @Test("Every combination keeps its contrast, in light and dark")
    func contrast() throws {
        #expect(Self.accepted.count > 60)
        let renderer = try Sample.renderer.get()
        for color in Self.accepted {
            let digits = String(color, radix: 16)
            let text = "#" + String(repeating: "0", count: 6 - digits.count) + digits
            let branding = PageBranding(
                application: "A", logo: nil, accent: AccentColor(text), privacyURL: nil, termsURL: nil,
                supportURL: nil)
            let html = renderer.html(.deviceApproved(application: "A"), in: .english, branding: branding)
            // Later rules replace earlier ones of the same scheme.
            let parts = html.split(separator: "@media (prefers-color-scheme: dark)")
            try #require(parts.count == 3)
            let ends = try #require(parts[1].firstRange(of: "<style>")).lowerBound
            let light = try PageStyleTests.luminances(parts[0]).merging(
                try PageStyleTests.luminances(parts[1][ends...]), uniquingKeysWith: { $1 })
            let dark = try PageStyleTests.luminances(parts[1][..<ends]).merging(
                try PageStyleTests.luminances(parts[2]), uniquingKeysWith: { $1 })
            #expect(light["accent"] == PageStyleTests.luminance(color))
            for scheme in [light, dark] {
                for (front, back) in [
                    ("on-accent", "accent"), ("accent", "card"), ("ink", "tint"),
                ] {
                    #expect(try PageStyleTests.ratio(front, back, in: scheme) >= 4.5, "\(text): \(front) on \(back)")
                }
                for (front, back) in [("accent", "tint"), ("accent", "page"), ("soft", "tint")] {
                    #expect(try PageStyleTests.ratio(front, back, in: scheme) >= 3, "\(text): \(front) on \(back)")
                }
            }
        }
    }
}
