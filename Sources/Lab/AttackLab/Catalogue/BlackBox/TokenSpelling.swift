/// Another spelling of a compact JWS.
enum TokenSpelling {
    /// The text with one part made anew; the same where there are not three parts.
    static func replacing(_ part: Int, of token: String, with make: (String) -> String) -> String {
        var parts = token.components(".")
        guard parts.count == 3 else { return token }
        parts[part] = make(parts[part])
        return parts.joined(separator: ".")
    }

    /// The same text with a bit of its last character turned, whose decoding may be the same.
    static func turningTail(_ text: String) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        guard let last = text.last, let place = alphabet.firstIndex(of: last) else { return text }
        return text.dropLast() + String(alphabet[place ^ 1])
    }

    /// The JSON of a part with a member put in front; the same where the part is no JSON object.
    static func inserting(_ member: String, into part: String) -> String {
        guard let bytes = Base64.urlDecode(part), bytes.first == UInt8(ascii: "{") else { return part }
        return Base64.urlEncode(Array("{\(member),".utf8) + bytes.dropFirst())
    }
}
