/// The logo, the colour and the links of the company to which the application of a page belongs.
package struct PageBranding: Sendable, Equatable {
    /// The name of the application, which replaces the logo for screen readers.
    package let application: String
    /// The path of an image on this server, such as `/logo/…`.
    package let logo: String?
    package let accent: AccentColor?
    /// The URLs of the company's own pages.
    package let privacyURL: String?
    package let termsURL: String?
    package let supportURL: String?

    var hasLinks: Bool { privacyURL != nil || termsURL != nil || supportURL != nil }

    /// The values for the names in double braces in the templates.
    var values: [String: Any] {
        var values: [String: Any] = ["logoName": DisplayName.shown(application), "hasLinks": hasLinks]
        values["logo"] = logo.map(VisibleASCII.only)
        values["privacyURL"] = privacyURL.map(VisibleASCII.only)
        values["termsURL"] = termsURL.map(VisibleASCII.only)
        values["supportURL"] = supportURL.map(VisibleASCII.only)
        return values
    }
}

/// The colour of buttons, names and drawings, in the colour space sRGB.
///
/// White text on it must have a contrast of at least 4.5:1, which this type does not check. Then every combination in
/// ``style`` has the contrast that ``PageStyle/colours`` describes: darker colours have a higher contrast with white,
/// and the colour of the dark scheme is never darker than a grey with sufficient contrast.
package struct AccentColor: Sendable, Equatable {
    private let channels: [Int]

    /// Reads `#rrggbb`; `nil` for any other text.
    package init?(_ text: String) {
        let digits = text.utf8.dropFirst()
        guard
            text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
            digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = Int(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        channels = [number >> 16, number >> 8 & 0xFF, number & 0xFF]
    }

    private init(_ channels: [Int]) {
        self.channels = channels
    }

    /// The rules that replace the colours of ``PageStyle``.
    var style: String {
        let light = AccentColor(channels)
        let bright = mixed(with: Self.white, percent: 60)
        return """
            :root {
              --accent: \(light.text);
              --tint: \(light.mixed(with: Self.white, percent: 92).text);
              --on-accent: #ffffff;
            }
            @media (prefers-color-scheme: dark) {
              :root {
                --accent: \(bright.text);
                --tint: \(bright.mixed(with: Self.darkCard, percent: 84).text);
                --on-accent: #10131a;
              }
            }
            """
    }

    private static let white = AccentColor([255, 255, 255])
    /// The colour `--card` of the dark scheme.
    private static let darkCard = AccentColor([0x19, 0x1D, 0x26])

    /// Returns this colour with a part of another one, per channel.
    private func mixed(with other: AccentColor, percent: Int) -> AccentColor {
        AccentColor(zip(channels, other.channels).map { ($0 * (100 - percent) + $1 * percent) / 100 })
    }

    private var text: String {
        "#" + channels.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
