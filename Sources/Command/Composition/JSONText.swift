internal import JOSE
internal import Jansson

/// What is wrong with JSON that an operator wrote, in words and without its content.
enum JSONText {
    /// Says why a text is not a JSON object.
    ///
    /// - Parameter maximumBytes: The limit of its reader.
    /// - Returns: A sentence whose subject, the text, is left out; `nil` for a JSON object.
    static func damage(of bytes: [UInt8], maximumBytes: Int = 64 * 1024) -> String? {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return "begins with a byte order mark: save it as UTF-8 without one"
        }
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            return "is UTF-16: save it as UTF-8"
        }
        guard let first = bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return "is empty" }
        guard "{[".utf8.contains(first) else { return "does not begin with {, as a JSON object does" }
        do throws(JSONError) {
            return try JSON.parse(bytes, maximumBytes: maximumBytes).object == nil
                ? "is a list, and must be one JSON object in braces" : nil
        } catch {
            if case .malformed(let line, _) = error,
                (try? JSON.parse(withEscapedLineBreaks(bytes), maximumBytes: 2 * maximumBytes)) != nil
            {
                return
                    "has a line break within a text (line \(line)), as after an expansion of \\n by a shell or a .env file: "
                    + "write \\n in JSON, or the base64 of the file in a variable"
            }
            if case .malformed = error, bytes.starts(with: #"{\""#.utf8) {
                return "has backslashes before its quotation marks: remove them, or write the base64 of the file"
            }
            return error.sentence
        }
    }

    /// Says why a text is not the JSON object of credentials, of which operators also have other forms.
    ///
    /// - Returns: As ``damage(of:maximumBytes:)``.
    static func damage(ofCredentials bytes: [UInt8]) -> String? {
        let text = String(decoding: bytes, as: UTF8.self).filter { !$0.isWhitespace }
        if text == "{" {
            return
                "has only its first line, as a file of variables keeps one line for each: write the base64 of the file (base64 "
                + "-w0 FILE)"
        }
        if let first = text.first, "\"'`".contains(first) { return "is in quotation marks: remove them" }
        // The base64 of a brace before a quotation mark, a space or a line break.
        if text.hasPrefix("ew") || text.hasPrefix("ey"), (try? Base64URL.decode(anySpelling: text)) != nil {
            return "is base64: decode it (base64 -d), or write it into a variable and name env:NAME"
        }
        let isJSON = (try? JSON.parse(bytes)) != nil
        return isJSON ? damage(of: bytes) : damageOfPunctuation(in: bytes) ?? damage(of: bytes)
    }

    /// What a program has done to the line breaks or the quotation marks of an object; `nil` if nothing is known.
    private static func damageOfPunctuation(in bytes: [UInt8]) -> String? {
        if (try? JSON.parse(withoutEscapesBetweenTexts(bytes))) != nil {
            return
                "has \\n as two characters where a line break or nothing must be, outside of its texts: write the base64 of the "
                + "file, or the file with real line breaks"
        }
        let text = String(decoding: bytes, as: UTF8.self).drop(while: \.isWhitespace)
        guard text.first == "{", let first = text.dropFirst().first(where: { !$0.isWhitespace }) else { return nil }
        if "'‘’“”„«".contains(first) {
            return "has other quotation marks than \": copy the file itself, or write its base64"
        }
        guard first.isASCII, first.isLetter else { return nil }
        return
            "has names without quotation marks, which a shell removes: put the value in single quotation marks in the command, "
            + "or write the base64 of the file"
    }

    /// Returns the bytes without a backslash and the letter behind it that are in no text.
    private static func withoutEscapesBetweenTexts(_ bytes: [UInt8]) -> [UInt8] {
        var (isInText, isEscaped) = (false, false)
        return bytes.filter { byte in
            if isEscaped {
                isEscaped = false
                return isInText
            }
            isEscaped = byte == UInt8(ascii: "\\")
            if byte == UInt8(ascii: "\"") { isInText.toggle() }
            return isInText || !isEscaped
        }
    }

    /// Returns the bytes with an escape for each line break in a text, as JSON demands it (RFC 8259 §7).
    private static func withEscapedLineBreaks(_ bytes: [UInt8]) -> [UInt8] {
        var (isInText, isEscaped) = (false, false)
        return bytes.flatMap { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isInText.toggle() }
            isEscaped = isInText && byte == UInt8(ascii: "\\") && !isEscaped
            return switch byte {
            case UInt8(ascii: "\n") where isInText: Array("\\n".utf8)
            case UInt8(ascii: "\r") where isInText: Array("\\r".utf8)
            default: [byte]
            }
        }
    }
}

extension JSONError {
    /// The error with its place; its subject, the text, is left out.
    var sentence: String {
        switch self {
        case .tooLarge(let bytes): "has more than \(bytes) bytes"
        case .tooDeep(let depth): "has more than \(depth) open brackets at one place"
        case .tooManyValues(let count): "has more than \(count) values"
        case .stringTooLong(let bytes): "has a text of more than \(bytes) bytes"
        case .scalarTooLong(let bytes): "has a number or a word of more than \(bytes) bytes"
        case .duplicateMember(let line, let column):
            "has two members with the same name in one object (line \(line), column \(column))"
        case .equivalentMembers: "has two members in one object whose names differ only in the form of a letter"
        case .numberOutOfRange(let line, let column): "has a number that is too large (line \(line), column \(column))"
        case .nulCharacter(let line, let column): "has the character \\u0000 (line \(line), column \(column))"
        case .invalidUTF8(let line, let column): "is not UTF-8 (line \(line), column \(column))"
        case .incomplete(let line, let column):
            "is cut off (line \(line), column \(column)): copy the whole text, or export it again"
        case .malformed(let line, let column):
            "is not JSON (line \(line), column \(column)): look there and just before for a comma, quotation mark or bracket that is "
                + "missing, or is one too many"
        }
    }
}
