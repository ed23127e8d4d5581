extension JSON {
    /// Reads the JSON text of a peer, which may contain values that this program neither needs nor can represent.
    ///
    /// It accepts what ``parse(_:maximumBytes:maximumDepth:maximumValues:maximumStringBytes:)`` accepts, and also a string with
    /// U+0000, U+0001, a lone surrogate, an unescaped control character or octets that are not UTF-8, and a number that would
    /// have to be rounded: each becomes ``null``, so that a reader that needs the value finds one of another type.
    ///
    /// A member of an object that the text writes as `null` is left out. An element of an array stays, so that no list
    /// becomes shorter. A member that stands in one object twice becomes ``null`` as well, and is not left out: peers differ in
    /// which of the two they read, so that none is read here, and a rule that needs the member must not find it absent.
    ///
    /// - Parameters:
    ///   - bytes: The whole text.
    ///   - maximumBytes: The maximum size. A longer text is refused without reading it.
    ///   - maximumDepth: The maximum number of open brackets, 1 to 512.
    ///   - allowsDuplicates: Whether a member may stand in one object twice. If not, the text is refused.
    /// - Returns: An object or an array.
    /// - Throws: The first error that is not one of those above; a byte-order mark is one.
    package static func parse(
        tolerantly bytes: [UInt8], maximumBytes: Int = 64 * 1024, maximumDepth: Int = 16,
        allowsDuplicates: Bool = true
    ) throws(JSONError) -> JSON {
        guard bytes.count <= maximumBytes else { throw .tooLarge(maximumBytes: maximumBytes) }
        do throws(JSONError) {
            return try parse(bytes, maximumBytes: maximumBytes, maximumDepth: maximumDepth).withoutNulls
        } catch .nulCharacter, .invalidUTF8, .numberOutOfRange, .malformed, .duplicateMember {
            var rewriting = Representable(bytes, marksDuplicates: allowsDuplicates)
            let representable = rewriting.text()
            // An unescaped octet can become an escape of six, and a duplicate of five octets one of at most 16.
            return try parse(representable, maximumBytes: 6 * maximumBytes, maximumDepth: maximumDepth).withoutNulls
        }
    }

    private var withoutNulls: JSON {
        switch self {
        case .object(let members): .object(Self.withoutNulls(members))
        case .array(let elements): .array(elements.map(\.withoutNulls))
        case .string(let text) where text.utf8.contains { $0 <= 1 }: .null
        case .null, .bool, .integer, .real, .string: self
        }
    }

    private static func withoutNulls(_ members: [String: JSON]) -> [String: JSON] {
        var found: [String: JSON] = [:]
        found.reserveCapacity(members.count)
        for (name, value) in members where value != .null { found[name] = value.withoutNulls }
        for name in members.keys {
            guard let first = Representable.duplicated(by: name) else { continue }
            found[name] = nil
            // A name that was changed itself is left out, whichever of the two comes first here.
            if Representable.duplicated(by: first) == nil { found[first] = JSON.null }
        }
        return found
    }
}

extension [UInt8] {
    /// The octets without the byte-order mark of UTF-8 at their beginning, which some editors and servers write.
    package var withoutByteOrderMark: [UInt8] {
        starts(with: [0xEF, 0xBB, 0xBF]) ? Array(dropFirst(3)) : self
    }
}

/// Rewrites a JSON text so that the parser accepts the values that it cannot represent.
///
/// The part of a string that cannot be represented becomes U+0001. A number that cannot be represented becomes a string with
/// only that character. A name that its object already has gets that character and a number at its end.
/// Everything else stays as it is, so that the parser still refuses what is not JSON.
private struct Representable {
    static let mark: Unicode.Scalar = "\u{1}"
    private static let markText = Array(#"\u0001"#.utf8)

    private let bytes: [UInt8]
    private var position = 0
    private var rewritten: [UInt8] = []
    /// The name that an earlier member has; `nil` for a name that was not changed because of that.
    static func duplicated(by name: String) -> String? {
        let scalars = name.unicodeScalars
        guard let mark = scalars.lastIndex(of: Self.mark) else { return nil }
        let number = scalars[mark...].dropFirst()
        return !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) } ? String(scalars[..<mark]) : nil
    }

    /// The names of each open object, as its members will have them; `nil` for an array.
    private var names: [Set<[UInt8]>?] = []
    /// Whether the next string is the name of a member.
    private var isName = false

    private let marksDuplicates: Bool

    init(_ bytes: [UInt8], marksDuplicates: Bool) {
        self.bytes = bytes
        self.marksDuplicates = marksDuplicates
    }

    mutating func text() -> [UInt8] {
        rewritten.reserveCapacity(bytes.count)
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "\""): takeString()
            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): takeNumber()
            case let octet:
                note(octet)
                take(1)
            }
        }
        return rewritten
    }

    /// Notes the structure of the text, by an octet outside of strings.
    private mutating func note(_ octet: UInt8) {
        switch octet {
        case UInt8(ascii: "{"): names.append([])
        case UInt8(ascii: "["): names.append(nil)
        case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = names.popLast()
        default: break
        }
        switch octet {
        case UInt8(ascii: "{"), UInt8(ascii: ","): isName = names.last.flatMap(\.self) != nil
        case UInt8(ascii: ":"), UInt8(ascii: "["): isName = false
        default: break
        }
    }

    private mutating func take(_ count: Int) {
        // A text may end within an escape.
        let end = min(position + count, bytes.count)
        rewritten += bytes[position..<end]
        position = end
    }

    private mutating func takeNumber() {
        let number = bytes[position...].prefix { octet in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(octet) || "+-.eE".utf8.contains(octet)
        }
        let text = String(decoding: number, as: UTF8.self)
        // Only a number of the grammar may be replaced: the parser has to refuse the others.
        let isRounded = number.isNumber && (number.isInteger ? Int64(text) == nil : Double(text)?.isFinite != true)
        if isRounded { rewritten += Array(#""\u0001""#.utf8) } else { rewritten += number }
        position += number.count
    }

    private mutating func takeString() {
        let start = rewritten.count + 1
        take(1)
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            switch bytes[position] {
            case UInt8(ascii: "\\"): takeEscape()
            case 0..<0x20: replace(1)
            case 0x20..<0x80: take(1)
            default: takeCharacter()
            }
        }
        if isName, marksDuplicates { markDuplicate(Array(rewritten[start...])) }
        isName = false
        take(1)
    }

    /// Changes the name that was just written if its object has it already (RFC 8259 §4), also with other escapes.
    private mutating func markDuplicate(_ written: [UInt8]) {
        guard let last = names.indices.last, let count = names[last]?.count else { return }
        var name = written
        if written.contains(UInt8(ascii: "\\")) {
            let text = Array(#"[""#.utf8) + written + Array(#""]"#.utf8)
            guard let decoded = (try? JSON.parse(text, maximumBytes: .max))?.array?.first?.string else { return }
            name = Array(decoded.utf8)
        }
        guard names[last]?.insert(name).inserted == false else { return }
        let number = Array(String(count).utf8)
        rewritten += Self.markText + number
        // Otherwise a third member would get the name of the second.
        names[last]?.insert(name + [UInt8(Self.mark.value)] + number)
    }

    private mutating func replace(_ count: Int) {
        rewritten += Self.markText
        position += count
    }

    private mutating func takeEscape() {
        guard let unit = escapedUnit(at: position) else { return take(2) }
        switch unit {
        case 0: replace(6)
        case 0xD800..<0xDC00:
            // RFC 8259 §7: a character outside the basic plane is a pair of escapes.
            let isPair = escapedUnit(at: position + 6).map { (0xDC00..<0xE000).contains($0) } ?? false
            if isPair { take(12) } else { replace(6) }
        case 0xDC00..<0xE000: replace(6)
        default: take(6)
        }
    }

    /// The code unit of the escape `\uXXXX` at a position; `nil` if there is none.
    private func escapedUnit(at position: Int) -> UInt16? {
        guard position + 6 <= bytes.count, bytes[position...].starts(with: #"\u"#.utf8) else { return nil }
        let digits = bytes[(position + 2)..<(position + 6)]
        guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
        return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    private mutating func takeCharacter() {
        // RFC 3629 §3: the first octet says how many there are.
        let count =
            switch bytes[position] {
            case 0xC2..<0xE0: 2
            case 0xE0..<0xF0: 3
            case 0xF0..<0xF5: 4
            default: 1
            }
        let character = bytes[position..<min(position + count, bytes.count)]
        guard count > 1, String(validating: character, as: UTF8.self) != nil else { return replace(1) }
        take(count)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the text is an integer of RFC 8259 §6, without fraction and exponent.
    fileprivate var isInteger: Bool { !contains { ".eE".utf8.contains($0) } }

    /// Whether the text is a number of RFC 8259 §6.
    fileprivate var isNumber: Bool {
        var rest = self
        func digits() -> Bool {
            let count = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }.count
            rest = rest.dropFirst(count)
            return count > 0
        }
        if rest.first == UInt8(ascii: "-") { rest = rest.dropFirst() }
        let hasLeadingZero = rest.first == UInt8(ascii: "0")
        let before = rest.count
        guard digits(), !hasLeadingZero || before - rest.count == 1 else { return false }
        if rest.first == UInt8(ascii: ".") {
            rest = rest.dropFirst()
            guard digits() else { return false }
        }
        if let first = rest.first, "eE".utf8.contains(first) {
            rest = rest.dropFirst()
            if let sign = rest.first, "+-".utf8.contains(sign) { rest = rest.dropFirst() }
            guard digits() else { return false }
        }
        return rest.isEmpty
    }
}
