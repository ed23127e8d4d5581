/// The languages of the pages, by their tags (BCP 47).
package enum PageLanguage: String, CaseIterable, Sendable {
    case english = "en"
    case hindi = "hi"
    case bengali = "bn"
    case persian = "fa"
    case german = "de"
    case french = "fr"
    case spanish = "es"
    case portuguese = "pt"
    case indonesian = "id"
    case arabic = "ar"
    case japanese = "ja"

    /// The name of the language in the language itself, as readers of a page look for it.
    var ownName: String {
        switch self {
        case .english: "English"
        case .hindi: "हिन्दी"
        case .bengali: "বাংলা"
        case .persian: "فارسی"
        case .german: "Deutsch"
        case .french: "Français"
        case .spanish: "Español"
        case .portuguese: "Português"
        case .indonesian: "Bahasa Indonesia"
        case .arabic: "العربية"
        case .japanese: "日本語"
        }
    }

    var direction: String {
        switch self {
        case .english, .hindi, .bengali, .german, .french, .spanish, .portuguese, .indonesian, .japanese: "ltr"
        case .persian, .arabic: "rtl"
        }
    }
}

extension PageLanguage {
    /// Selects the language that the request prefers.
    ///
    /// - Parameters:
    ///   - acceptLanguage: The header field of RFC 9110 §12.5.4, such as `fa-IR,fa;q=0.9,en;q=0.5`. Malformed ranges, and
    ///     those after the first 32 elements, are ignored.
    ///   - uiLocales: The parameter of OpenID Connect Core 1.0 §3.1.2.1, such as `fr-CA hi`, in order of preference. It
    ///     takes precedence over the header field.
    ///   - chosen: The tag of the language that the person has chosen on a page; it takes precedence over both.
    /// - Returns: The language; English if none matches.
    package static func preferred(acceptLanguage: String?, uiLocales: String?, chosen: String? = nil) -> Self {
        if let language = chosen.flatMap(Self.init(rawValue:)) { return language }
        for tag in (uiLocales ?? "").split(separator: " ", maxSplits: maximumRanges).prefix(maximumRanges) {
            if let language = matching(tag) { return language }
        }
        return accepted(ranges(of: acceptLanguage ?? "")) ?? .english
    }

    /// More ranges than a browser sends, so that a field of 16 KiB costs no more than one of a few hundred octets.
    private static let maximumRanges = 32

    /// Shortens a tag from its end until it matches (RFC 4647 §3.4), so that `fa-IR` finds `fa`.
    ///
    /// So does the name of a locale of POSIX or Java, such as `pt_BR` or `fr_FR.UTF-8`, which some applications send.
    private static func matching(_ tag: Substring) -> Self? {
        tag.split { "-_.".contains($0) }.first.flatMap { Self(rawValue: $0.lowercased()) }
    }

    private static func accepted(_ ranges: [(tag: Substring, thousandths: Int)]) -> Self? {
        // RFC 9110 §12.4.2: "a value of 0 means 'not acceptable'".
        let unwanted = Set(ranges.filter { $0.thousandths == 0 }.map { $0.tag.lowercased() })
        let named = Set(ranges.compactMap { matching($0.tag) })
        var best: (language: Self, thousandths: Int)?
        // The first of several equal weights wins; RFC 9110 §12.5.4 allows the order to matter.
        for range in ranges where range.thousandths > best?.thousandths ?? 0 {
            // RFC 4647 §3.3.1: "*" matches every language that no other range names.
            let found = range.tag == "*" ? allCases.first { !named.contains($0) } : matching(range.tag)
            if let found, !unwanted.contains(found.rawValue) { best = (found, range.thousandths) }
        }
        return best?.language
    }

    private static func ranges(of field: String) -> [(tag: Substring, thousandths: Int)] {
        // The text is split by octets up to the last element that counts, so that the rest is not even read.
        field.utf8.split(separator: UInt8(ascii: ","), maxSplits: maximumRanges).prefix(maximumRanges).compactMap {
            octets in
            let element = Substring(octets)
            let parts = element.split(separator: ";", omittingEmptySubsequences: false).map(withoutSpaces)
            guard let tag = parts.first, !tag.isEmpty, parts.count <= 2 else { return nil }
            guard parts.count == 2 else { return (tag, 1000) }
            return weight(parts[1]).map { (tag, $0) }
        }
    }

    /// Parses a weight (RFC 9110 §12.4.2): `q=` and 0 to 1 with at most three digits after the point.
    private static func weight(_ parameter: Substring) -> Int? {
        guard parameter.lowercased().hasPrefix("q=") else { return nil }
        let halves = parameter.dropFirst(2).split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = halves.count == 2 ? halves[1] : ""
        guard
            let whole = halves.first, whole == "0" || whole == "1", fraction.utf8.count <= 3,
            fraction.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let thousandths = Int(whole + fraction + String(repeating: "0", count: 3 - fraction.utf8.count))
        else { return nil }
        return thousandths <= 1000 ? thousandths : nil
    }

    private static func withoutSpaces(_ text: Substring) -> Substring {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        let tail = text.drop(while: isSpace)
        return tail.lastIndex { !isSpace($0) }.map { tail[...$0] } ?? ""
    }
}
