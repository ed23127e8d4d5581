import Foundation
import Server
import Testing

@Suite("Contrast")
struct PageStyleTests {
    /// The luminances of the colours by name, first of the light scheme and then of the dark one.
    let schemes: [[String: Double]]

    init() throws {
        let html = try Sample.renderer.get().html(.deviceApproved(application: "A"), in: .english)
        schemes = try html.split(separator: "@media (prefers-color-scheme: dark)").prefix(2).map { part in
            try Self.luminances(part)
        }
    }

    /// The luminances of the colours in a style sheet, by name.
    static func luminances(_ style: Substring) throws -> [String: Double] {
        var luminances: [String: Double] = [:]
        for match in style.matches(of: /--([a-z-]+): #([0-9a-f]{6});/) {
            luminances[String(match.1)] = luminance(try #require(Int(match.2, radix: 16)))
        }
        return luminances
    }

    /// The relative luminance of a colour, as WCAG 2.2 defines it.
    static func luminance(_ colour: Int) -> Double {
        let channels = [colour >> 16, colour >> 8 & 0xFF, colour & 0xFF].map { channel -> Double in
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2]
    }

    static func ratio(_ front: String, _ back: String, in scheme: [String: Double]) throws -> Double {
        let (one, other) = (try #require(scheme[front]), try #require(scheme[back]))
        return (max(one, other) + 0.05) / (min(one, other) + 0.05)
    }

    @Test(
        "Text has a contrast of at least 4.5 to 1, in light and dark",
        arguments: [
            ("ink", "card"), ("ink", "page"), ("ink", "tint"), ("soft", "card"), ("soft", "page"), ("accent", "card"),
            ("on-accent", "accent"), ("bad", "bad-tint"), ("heed", "heed-tint"),
        ])
    func text(_ front: String, _ back: String) throws {
        #expect(schemes.count == 2)
        for scheme in schemes { #expect(try Self.ratio(front, back, in: scheme) >= 4.5) }
    }

    @Test(
        "Edges of controls, drawings and the focus ring have a contrast of at least 3 to 1, in light and dark",
        arguments: [
            ("line", "card"), ("accent", "tint"), ("good", "good-tint"), ("bad", "card"), ("soft", "tint"),
            ("accent", "page"),
        ])
    func edges(_ front: String, _ back: String) throws {
        #expect(schemes.count == 2)
        for scheme in schemes { #expect(try Self.ratio(front, back, in: scheme) >= 3) }
    }
}
