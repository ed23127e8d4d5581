/// Base64url without padding (RFC 4648 §5).
///
/// The lab implements it a second time on purpose, so that it does not share a mistake of the server.
enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    static func urlEncode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var buffer = 0
        var bits = 0
        for byte in bytes {
            buffer = (buffer << 8 | Int(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(alphabet[buffer >> bits & 63])
            }
        }
        if bits > 0 { text.append(alphabet[buffer << (6 - bits) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    static func urlEncode(_ text: String) -> String { urlEncode(Array(text.utf8)) }

    /// Returns the octets; `nil` if a character is not in the alphabet.
    static func urlDecode(_ text: some StringProtocol) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = 0
        var bits = 0
        for character in text.utf8 where character != UInt8(ascii: "=") {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            buffer = (buffer << 6 | value) & 0xFFFF
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xFF))
            }
        }
        return bytes
    }
}

enum Base16 {
    static func encode(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        return String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
    }
}

/// Strict `application/x-www-form-urlencoded`: all characters but the unreserved ones of RFC 3986 are encoded.
enum PercentEncoding {
    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded.append("%")
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 15)])
            }
        }
        return encoded
    }

    static func form(_ parameters: [(String, String)]) -> String {
        parameters.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    /// Returns the parameters in the query of a URL, or of a path with query.
    static func query(of url: String) -> [(name: String, value: String)] {
        parameters(url.drop { $0 != "?" }.dropFirst())
    }

    /// Returns the value of the first parameter of this name in the query of a URL, or of a path with query.
    static func parameter(_ name: String, of url: String) -> String? {
        query(of: url).first { $0.name == name }?.value
    }

    static func decode(_ text: some StringProtocol) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), rest.count >= 2,
                let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
            {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the parameters of a URL's query or of a form.
    static func parameters(_ text: some StringProtocol) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (decode(parts[0]), parts.count == 2 ? decode(parts[1]) : "")
        }
    }
}

extension String {
    /// Returns a URL, or a path with query, with one parameter replaced; `nil` removes it.
    func setting(parameter name: String, to value: String?) -> String {
        var parameters = PercentEncoding.query(of: self).filter { $0.name != name }
        if let value { parameters.append((name, value)) }
        return prefix { $0 != "?" } + "?" + PercentEncoding.form(parameters.map { ($0.name, $0.value) })
    }
}

extension [(String, String)] {
    /// Replaces the parameter of this name; `nil` removes it.
    mutating func set(_ name: String, _ value: String?) {
        guard let index = firstIndex(where: { $0.0 == name }) else {
            if let value { append((name, value)) }
            return
        }
        guard let value else {
            remove(at: index)
            return
        }
        self[index].1 = value
    }
}
