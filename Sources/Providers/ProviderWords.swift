internal import Jansson
package import Standards
package import Transport

/// What a provider writes about an error, as an operator may read it.
///
/// A provider can repeat what it was sent, so that no credential of the request remains: neither whole nor as a part of at least
/// eight octets, also if it is percent-encoded or in another case. The rest is the text of a peer: short, visible, and never
/// sent to an application or shown to a person.
package enum ProviderWords {
    /// The maximum length, in Unicode scalars.
    static let limit = 200
    /// The members that describe an error: those of RFC 6749 §5.2 and those of single providers.
    static let names = [
        "error", "error_code", "errorCode", "errcode", "code", "status_code", "error_description", "error_message",
        "errorMessage", "error_msg", "errmsg", "error_reason", "errorSummary", "error_subtype", "message", "msg",
        "status_txt", "title", "detail", "reason",
    ]
    /// The fields of a form that are no credentials.
    private static let publicFields: Set = [
        "grant_type", "redirect_uri", "client_id", "client_assertion_type", "token_type_hint",
    ]

    /// Returns what a response says.
    ///
    /// - Parameters:
    ///   - response: The response.
    ///   - request: The request, whose credentials are left out.
    /// - Returns: The text; `nil` if the response says nothing.
    package static func of(_ response: OutboundResponse, to request: OutboundRequest) -> String? {
        let body = response.body.withoutByteOrderMark
        let answer: JSON
        if let json = try? JSON.parse(tolerantly: body, maximumBytes: 256 * 1024) {
            answer = json
        } else if !body.isPage, let form = try? Parameters.parse(String(decoding: body, as: UTF8.self)) {
            answer = .object(Dictionary(form.pairs.map { ($0.name, JSON.string($0.value)) }) { one, _ in one })
        } else {
            return nil
        }
        let issued = ["access_token", "refresh_token", "id_token"].compactMap { answer[$0]?.string }
        return of(answer, without: credentials(of: request) + issued)
    }

    /// Returns what the query of a callback says.
    ///
    /// - Parameters:
    ///   - parameters: The query.
    ///   - secrets: The credentials of the flow and of this server's client.
    /// - Returns: The text; `nil` if the query has no error.
    package static func of(_ parameters: Parameters, without secrets: [String]) -> String? {
        let own = ["code", "state", "oauth_token", "oauth_verifier"].compactMap { parameters[$0] }
        let members = parameters.pairs.filter { $0.name != "code" }.map { ($0.name, JSON.string($0.value)) }
        return of(.object(Dictionary(members) { one, _ in one }), without: secrets + own)
    }

    private static func of(_ answer: JSON, without secrets: [String]) -> String? {
        let objects = [answer, answer["error"]].compactMap(\.self) + (answer["errors"]?.array ?? []).prefix(3)
        let statements = objects.flatMap { object in
            names.compactMap { name in object[name].flatMap(text).map { "\(name): \($0)" } }
        }
        guard !statements.isEmpty else { return nil }
        return visible(cleared(statements.joined(separator: "; "), of: secrets))
    }

    private static func text(_ member: JSON) -> String? {
        switch member {
        case .string(let text): text.isEmpty ? nil : String(text.prefix(1024))
        case .integer(let number): "\(number)"
        case .array(let elements):
            elements.isEmpty
                ? nil : elements.prefix(3).compactMap(\.string).map { $0.prefix(1024) }.joined(separator: ", ")
        case .null, .bool, .real, .object: nil
        }
    }

    /// The credentials in a request: the fields of its form, and its `Authorization` field in each of its parts.
    private static func credentials(of request: OutboundRequest) -> [String] {
        let form = try? Parameters.parse(String(decoding: request.body, as: UTF8.self))
        let fields = (form?.pairs ?? []).filter { !publicFields.contains($0.name) }.map(\.value)
        let authorization = request.header.filter { $0.name.lowercased() == "authorization" }.flatMap { field in
            let value = String(field.value.drop { $0 != " " }.dropFirst())
            // RFC 7617 §2: the secret follows the first colon. RFC 5849 §3.5.1: the values are in quotation marks.
            let basic = Base64.decode(value).map { String(decoding: $0, as: UTF8.self) }
            let secret = basic.map { String($0.drop { $0 != ":" }.dropFirst()) }
            return [value, secret].compactMap(\.self)
                + value.split(separator: "\"").map(String.init).filter { $0.count > 7 }
        }
        return fields + authorization
    }

    /// Replaces what a text has in common with a secret, after both are decoded.
    private static func cleared(_ text: String, of secrets: [String]) -> String {
        guard let octets = decoded(text) else { return "[left out]" }
        let compared = octets.map(folded)
        var isSecret = [Bool](repeating: false, count: octets.count)
        for secret in secrets {
            guard let secret = decoded(secret)?.map(folded) else { return "[left out]" }
            let width = min(8, secret.count)
            guard width > 0 else { continue }
            let parts = Set(windows(of: secret, width))
            for (start, part) in windows(of: compared, width).enumerated() where parts.contains(part) {
                for index in start..<start + width { isSecret[index] = true }
            }
        }
        var result: [UInt8] = []
        for (index, octet) in octets.enumerated() {
            if !isSecret[index] {
                result.append(octet)
            } else if index == 0 || !isSecret[index - 1] {
                result += "[left out]".utf8
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Each part of `width` octets, at most 8, as a number.
    private static func windows(of octets: [UInt8], _ width: Int) -> [UInt64] {
        guard octets.count >= width else { return [] }
        let mask = width == 8 ? UInt64.max : (1 << UInt64(8 * width)) - 1
        var part: UInt64 = 0
        var parts: [UInt64] = []
        for (index, octet) in octets.enumerated() {
            part = (part << 8 | UInt64(octet)) & mask
            if index + 1 >= width { parts.append(part) }
        }
        return parts
    }

    /// An octet as it is compared: without case, and with the two forms of a space as one.
    private static func folded(_ octet: UInt8) -> UInt8 {
        switch octet {
        case 0x41...0x5A: octet + 0x20
        case UInt8(ascii: "+"): 0x20
        default: octet
        }
    }

    /// Decodes each `%` with two hexadecimal digits, until none is left; `nil` for an encoding of more than four layers.
    private static func decoded(_ text: String) -> [UInt8]? {
        var octets = Array(text.utf8)
        for _ in 0...4 {
            var result: [UInt8] = []
            var index = 0
            while index < octets.count {
                let digits = octets.dropFirst(index + 1).prefix(2)
                if octets[index] == UInt8(ascii: "%"), digits.count == 2,
                    digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let octet = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                {
                    result.append(octet)
                    index += 3
                } else {
                    result.append(octets[index])
                    index += 1
                }
            }
            if result == octets { return octets }
            octets = result
        }
        return nil
    }

    /// The text without control and format characters, which could forge lines of a log or of a terminal.
    private static func visible(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: " "
            case .format, .surrogate, .privateUse, .unassigned: "?"
            default: scalar
            }
        }
        guard scalars.count > limit else { return String(String.UnicodeScalarView(scalars)) }
        return String(String.UnicodeScalarView(scalars.prefix(limit - 3))) + "..."
    }
}
