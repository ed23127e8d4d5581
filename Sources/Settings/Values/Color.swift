internal import Foundation

/// A colour as three octets: red, green and blue in the colour space sRGB.
struct Color {
    let red: UInt8
    let green: UInt8
    let blue: UInt8

    static let white = Color(red: 255, green: 255, blue: 255)

    init(red: UInt8, green: UInt8, blue: UInt8) {
        (self.red, self.green, self.blue) = (red, green, blue)
    }

    /// Reads `#rrggbb` with hexadecimal digits; `nil` for any other text.
    init?(_ text: String) {
        let digits = Array(text.utf8.dropFirst())
        guard
            text.utf8.first == UInt8(ascii: "#"), digits.count == 6,
            digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
            let number = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        self.init(red: UInt8(number >> 16), green: UInt8(number >> 8 & 0xFF), blue: UInt8(number & 0xFF))
    }

    /// The contrast ratio of two colours (WCAG 2.2), from 1 to 21.
    func contrast(with other: Color) -> Double {
        let (lighter, darker) = (max(luminance, other.luminance), min(luminance, other.luminance))
        return (lighter + 0.05) / (darker + 0.05)
    }

    /// The relative luminance (WCAG 2.2), from 0 for black to 1 for white.
    private var luminance: Double {
        func linear(_ channel: UInt8) -> Double {
            let value = Double(channel) / 255
            return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
    }
}

extension Entry {
    /// Reads `#rrggbb`, a colour on which white text is readable (WCAG 2.2 §1.4.3).
    ///
    /// - Returns: The colour in lower case; `nil` if it is refused.
    func accentColor() -> String? {
        guard let text = text() else { return nil }
        guard let color = Color(text) else {
            return refusing("is not a colour: write # and six hexadecimal digits in quotes, such as \"#3046b8\"")
        }
        let contrast = color.contrast(with: .white)
        guard contrast >= 4.5 else {
            // Rounded down, so that the message never names the minimum itself.
            let tenths = Int(contrast * 10)
            return refusing(
                "has a contrast of only \(tenths / 10).\(tenths % 10):1 with the white text on it: "
                    + "choose a darker colour, with at least 4.5:1 (WCAG 2.2)")
        }
        return text.lowercased()
    }
}
