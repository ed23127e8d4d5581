internal import Jansson
package import Standards
package import Transport

/// What a provider writes about an error, as an operator may read it.
///
/// A provider can repeat what it was sent. Therefore no credential of the request remains: neither whole nor as a part of at
/// least eight octets, also if it is percent-encoded or in another case; a value of blanks, or of fewer than four octets, is no
/// credential. Of the rest, only words, short numbers and the public values of the request remain: markup does not help an
/// operator, and a random text may be the credential of another request. The text is short and visible. It is never sent to an
/// application or shown to a person.
package enum ProviderWords {
    /// The maximum length, in Unicode scalars.
    static let limit = 600
    /// The members that describe an error: those of RFC 6749 §5.2 and those of single providers.
    package static let names = [
        "error", "error_code", "errorCode", "errorType", "error_type", "errcode", "code", "status_code",
        "error_description", "errorDescription", "description", "error_message", "errorMessage", "error_msg", "errmsg",
        "error_reason",
        "errorSummary", "error_subtype", "faultstring", "errorcode", "message", "msg", "status_txt", "title", "detail",
        "reason", "hint", "error_hint", "details", "info", "explanation", "err",
        "developer_message", "cause",
        // What is wrong, by its name: Strava and others.
        "resource", "field", "loc", "needed", "required_scopes",
        // OAuth 1.0a, by its extension for problem reports.
        "oauth_problem", "oauth_problem_advice",
    ]
    /// The fields of a form that are no credentials.
    private static let publicFields: Set = [
        "grant_type", "redirect_uri", "client_id", "client_assertion_type", "token_type_hint", "x_auth_access_type",
    ]

    /// Returns what a response says.
    ///
    /// - Parameter request: The request, whose credentials are left out.
    /// - Returns: The text; `nil` if the response says nothing.
    package static func of(_ response: OutboundResponse, to request: OutboundRequest) -> String? {
        // The page of a redirect says no more than its status.
        if let destination = destination(of: response, from: request.url) { return destination }
        let body = response.body.withoutByteOrderMark
        let answer: JSON
        if let json = JSON.answer(in: body.argumentOfCall ?? body) {
            answer = json
        } else if body.isXML {
            answer = .object(["errors": .array(elements(of: body))])
        } else if !body.isPage,
            let form = try? Parameters.parse(
                String(decoding: body, as: UTF8.self), reading: [], described: Set(names + tokens))
        {
            answer = .object(Dictionary(form.pairs.map { ($0.name, JSON.string($0.value)) }) { one, _ in one })
        } else {
            answer = .object([:])
        }
        let issued = tokens.compactMap { answer[$0]?.string }
        let secrets = credentials(of: request) + issued
        let known = publicValues(of: request)
        var statements = [answer]
        if response.status >= 400 {
            statements += [
                .object(challenge(in: response)), .object(plainText(body)), .object(fields(of: request, in: answer)),
            ]
        }
        // With a status of success, another line may be a token.
        if response.status < 300, isSentence(body) { statements.append(.object(plainText(body))) }
        if body.isPage { statements.append(.object(title(of: body))) }
        return statements.lazy.compactMap { of($0, without: secrets, known: known) }.first
    }

    /// What the field `WWW-Authenticate` says about an access token (RFC 6750 §3), or about a signature of OAuth 1.0a.
    private static func challenge(in response: OutboundResponse) -> [String: JSON] {
        let field = (response[field: "WWW-Authenticate"] ?? "").prefix(2048)
        let pairs = field.matches(
            of: /(error|error_description|scope|oauth_problem|oauth_problem_advice)\s*=\s*(?:"([^"]*)"|([^",\s]+))/
        ).map { match in
            (
                match.output.1 == "scope" ? "required_scopes" : String(match.output.1),
                JSON.string(String(match.output.2 ?? match.output.3 ?? ""))
            )
        }
        return Dictionary(pairs) { one, _ in one }
    }

    /// A body that is one line for people, and neither JSON nor a page.
    private static func plainText(_ body: [UInt8]) -> [String: JSON] {
        guard (1...512).contains(body.count), !body.isPage, !body.isJSONText else { return [:] }
        let lines = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isNewline)
        return lines.count == 1 && lines[0].contains(where: \.isLetter) ? ["message": .string(String(lines[0]))] : [:]
    }

    /// Whether a body consists of words of error codes only, such as `Invalid client secret`, so that it cannot be a token.
    ///
    /// One word is not enough.
    private static func isSentence(_ body: [UInt8]) -> Bool {
        guard body.count <= 512 else { return false }
        let words = String(decoding: body, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        return words.count > 1
            && words.allSatisfy { word in
                let start = word.trimmingPrefix { punctuation.contains($0) }
                let core = start.lastIndex { !punctuation.contains($0) }.map { start[...$0].lowercased()[...] } ?? ""
                return core.split(separator: "_").allSatisfy { vocabulary.contains($0) || particles.contains($0) }
            }
    }

    /// Words that stand between those of ``vocabulary`` in a sentence.
    private static let particles: Set<Substring> = [
        "a", "an", "and", "been", "does", "for", "from", "has", "match", "no", "the", "this", "to", "was", "wrong",
        "your",
    ]

    /// The parameters of a request that an answer objects to, as `{"client_id": ["This field is required."]}`.
    private static func fields(of request: OutboundRequest, in answer: JSON) -> [String: JSON] {
        let form = try? Parameters.parse(String(decoding: request.body, as: UTF8.self))
        let objections = publicFields.union(form?.pairs.map(\.name) ?? []).sorted().compactMap { name in
            (answer[name] ?? answer["errors"]?[name])?.array?.first?.string.map { JSON.string("\(name): \($0)") }
        }
        return objections.isEmpty ? [:] : ["details": .array(objections)]
    }

    /// The beginning of the words about a redirect.
    static let redirection = "redirects to "

    /// Returns where a redirect leads; `nil` for another response.
    ///
    /// A path is told only if it is that of the request, up to a slash at its end: another one could contain a credential.
    private static func destination(of response: OutboundResponse, from url: String) -> String? {
        guard ProviderFailure.redirects.contains(response.status), let location = response[field: "Location"] else {
            return nil
        }
        let base = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false).prefix(3).joined(
            separator: "/")
        let isPath = location.hasPrefix("/") && !location.hasPrefix("//")
        let target = (isPath ? base : "") + location.prefix { $0 != "?" && $0 != "#" }
        let parts = target.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count >= 3, parts[0].hasSuffix(":"), !parts[2].contains("@") else { return nil }
        let path = { (url: String) in url.split(separator: "/").dropFirst(2).joined(separator: "/") }
        let isSamePath = path(target) == path(String(url.prefix { $0 != "?" }))
        return redirection + (isSamePath ? target : parts.prefix(3).joined(separator: "/") + "/...").shown
    }

    private static let tokens = ["access_token", "refresh_token", "id_token"]

    /// The elements of an answer in XML that describe an error, such as `<error code="415">Not approved.</error>`.
    private static func elements(of body: [UInt8]) -> [JSON] {
        guard body.count <= 64 * 1024 else { return [] }
        let text = String(decoding: body, as: UTF8.self).replacing("<![CDATA[", with: "").replacing("]]>", with: "")
        return text.matches(of: /<([A-Za-z_]{1,32})(?:\s[^<>]*)?>([^<>]{1,1024})<\//).prefix(8).compactMap { match in
            guard let name = names.first(where: { $0.lowercased() == match.output.1.lowercased() }) else { return nil }
            return .object([name: .string(plain(match.output.2))])
        }
    }

    /// The title of a page, by which a proxy or a firewall names its error.
    private static func title(of body: [UInt8]) -> [String: JSON] {
        let start = String(decoding: body.prefix(16 * 1024), as: UTF8.self)
        let title = start.firstMatch(of: /<title[^<>]{0,64}>([^<>]{1,256})<\//.ignoresCase())
        return title.map { ["title": .string(plain($0.output.1))] } ?? [:]
    }

    /// The text with the characters for which entities stand (XML 1.0 §4.6).
    ///
    /// What else stands for a character is no word.
    private static func plain(_ text: Substring) -> String {
        let entities = [("&apos;", "'"), ("&quot;", "\""), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")]
        return entities.reduce(String(text)) { $0.replacing($1.0, with: $1.1) }
    }

    /// Returns what the query of a callback says.
    ///
    /// - Parameter secrets: The credentials of the flow and of this server's client.
    /// - Returns: The text; `nil` if the query has no error.
    package static func of(_ parameters: Parameters, without secrets: [String]) -> String? {
        let own = ["code", "state", "oauth_token", "oauth_verifier"].compactMap { parameters[$0] }
        let members = parameters.pairs.filter { $0.name != "code" }.map { ($0.name, JSON.string($0.value)) }
        return of(.object(Dictionary(members) { one, _ in one }), without: secrets + own)
    }

    private static func of(_ answer: JSON, without secrets: [String], known: Set<String> = []) -> String? {
        // Some providers write the same sentence into several members.
        var told: Set<String> = []
        let statements = answer.errorObjects.flatMap { object in
            names.compactMap { name in
                object[name].flatMap(text).flatMap { told.insert($0).inserted ? "\(name): \($0)" : nil }
            }
        }
        guard !statements.isEmpty else { return nil }
        return limited(words(of: visible(cleared(statements.joined(separator: "; "), of: secrets)), known: known))
    }

    private static func text(_ member: JSON) -> String? {
        switch member {
        case .string(let text): text.isEmpty ? nil : String(text.prefix(1024))
        case .integer(let number): "\(number)"
        case .array(let elements):
            elements.first?.string == nil
                ? nil : elements.prefix(3).compactMap(\.string).map { $0.prefix(1024) }.joined(separator: ", ")
        case .null, .bool, .real, .object: nil
        }
    }

    /// The values in a request that anyone may see, such as the redirect URI.
    private static func publicValues(of request: OutboundRequest) -> Set<String> {
        let form = try? Parameters.parse(String(decoding: request.body, as: UTF8.self))
        return Set((form?.pairs ?? []).filter { publicFields.contains($0.name) }.map(\.value))
    }

    /// The credentials in a request: the fields of its form, its `Authorization` field in each of its parts, and further header
    /// fields, such as a key.
    private static func credentials(of request: OutboundRequest) -> [String] {
        let form = try? Parameters.parse(String(decoding: request.body, as: UTF8.self))
        let fields = (form?.pairs ?? []).filter { !publicFields.contains($0.name) }.map(\.value)
        let authorization = request.header.filter { $0.name.lowercased() == "authorization" }.flatMap { field in
            let value = String(field.value.drop { $0 != " " }.dropFirst())
            // RFC 5849 §3.5.1: the values are in quotation marks. Their names, the redirect URI and the method are public.
            let parts = value.split(separator: "\"", omittingEmptySubsequences: false)
            guard parts.count < 3 else {
                return zip(parts, parts.dropFirst()).filter { name, value in
                    name.hasSuffix("=") && value.count > 7
                        && !["oauth_callback=", "oauth_signature_method="].contains(where: name.hasSuffix)
                }.map { String($0.1) }
            }
            // RFC 7617 §2: the secret follows the first colon.
            let basic = Base64.decode(value).map { String(decoding: $0, as: UTF8.self) }
            let secret = basic.map { String($0.drop { $0 != ":" }.dropFirst()) }
            return [value, secret].compactMap(\.self)
        }
        let known: Set = ["accept", "authorization", "content-type"]
        return fields + authorization + request.header.filter { !known.contains($0.name.lowercased()) }.map(\.value)
    }

    /// Replaces what a text has in common with a secret, after both are decoded.
    private static func cleared(_ text: String, of secrets: [String]) -> String {
        guard let octets = decoded(text) else { return omission }
        let compared = octets.map(folded)
        var isSecret = [Bool](repeating: false, count: octets.count)
        for secret in secrets {
            guard let secret = decoded(secret)?.map(folded) else { return omission }
            guard secret.count > 3, !secret.allSatisfy({ $0 == 0x20 }) else { continue }
            let width = min(8, secret.count)
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
                result += omission.utf8
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

    /// What stands in place of what is left out.
    private static let omission = "[left out]"

    /// Leaves out what is neither a word, nor a short number, nor one of the known texts.
    private static func words(of text: String, known: Set<String>) -> String {
        var result: [String] = []
        // The text has no control character, so that this one is no word.
        for word in text.replacing(omission, with: " \0 ").split(separator: " ") {
            let core = word.trimmingPrefix { punctuation.contains($0) }
            let end = core.lastIndex { !punctuation.contains($0) }
            let isWord = end.map { known.contains(String(core[...$0])) || Self.isWord(core[...$0]) } ?? true
            let shown = isWord ? String(word) : omission
            if shown != omission || result.last != omission { result.append(shown) }
        }
        return result.joined(separator: " ")
    }

    private static let punctuation: Set<Character> = [
        ".", ",", ":", ";", "!", "?", "'", "\"", "(", ")", "[", "]", "%", "-", "_", "\u{2019}",
    ]

    /// Whether a text is a word, the name of an error such as `grant_type`, a code such as `AADSTS65004` or `AADB2C90118`, a short
    /// number, the number of a version such as `1.0a`, or a short path of words.
    ///
    /// Texts of random characters nearly always mix letters with digits, or are longer. A longer text passes only if all of its
    /// parts are words of error codes, so that it cannot be chosen at random.
    private static func isWord(_ text: Substring) -> Bool {
        if text.contains("/") { return isPath(text) }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).flatMap(Self.parts)
        if (2...8).contains(parts.count), parts.allSatisfy(vocabulary.contains) { return true }
        if text.count <= 5, text.wholeMatch(of: /[0-9]{1,2}\.[0-9]{1,2}[a-z]?/) != nil { return true }
        if text.wholeMatch(of: /AADB2C[0-9]{5}/) != nil { return true }
        guard text.allSatisfy({ $0.isLetter || $0.isASCIIDigit || "_-.'".contains($0) }) else { return false }
        guard text.allSatisfy(\.isASCII) else { return true }
        let digits = text.count(where: \.isASCIIDigit)
        if digits == text.count { return digits <= 8 }
        if digits <= 1 { return text.count <= 24 }
        return text.count <= 16 && text.drop { $0.isUppercase }.allSatisfy(\.isASCIIDigit)
    }

    /// The words of a code in lower case: of `invalid_grant`, `INVALID_GRANT` or `InvalidGrant`.
    private static func parts(of text: Substring) -> [Substring] {
        guard !text.contains("_") else {
            let isUpper = text.utf8.allSatisfy { (0x41...0x5A).contains($0) || $0 == UInt8(ascii: "_") }
            return (isUpper ? text.lowercased()[...] : text).split(separator: "_", omittingEmptySubsequences: false)
        }
        return text.matches(of: /[A-Z]?[^A-Z]+|[A-Z]/).map { $0.output.lowercased()[...] }
    }

    /// Whether a text is a path of a few words in lower case, such as `/common`, and not longer than a word may be.
    private static func isPath(_ text: Substring) -> Bool {
        let parts = (text.first == "/" ? text.dropFirst() : text).split(
            separator: "/", omittingEmptySubsequences: false)
        return text.count <= 24 && (1...3).contains(parts.count)
            && parts.allSatisfy { part in
                part.count > 1 && part.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "_") }
            }
    }

    /// The words of the error codes of OAuth 2.0, OpenID Connect and their extensions, and of providers.
    private static let vocabulary: Set<Substring> = [
        "access", "account", "address", "already", "application", "assertion", "auth", "authentication",
        "authorization",
        "bad", "callback", "challenge", "client", "code", "configuration", "consent", "consumer", "credential",
        "credentials", "deleted", "denied", "device", "disabled", "email", "error", "exceeded", "expired", "failed",
        "flow", "found", "generation", "grant", "id", "in", "incorrect", "insufficient", "interaction", "internal",
        "invalid", "is",
        "issuer", "key", "limit", "login", "malformed", "method", "mismatch", "missing", "mode", "not", "object", "of",
        "or", "parameter", "pending", "permission", "policy", "proof", "provider", "rate", "redirect", "refresh",
        "registration", "rejected", "request", "required", "requirements", "resource", "response", "revoked", "scope",
        "secret",
        "selection", "server", "session", "signature", "slow", "supported", "target", "temporarily", "token", "type",
        "unauthorized", "unavailable", "unknown", "unmet", "unsupported", "uri", "url", "used", "user", "verification",
        "verifier",
        // Words of Salesforce and ZITADEL.
        "app", "approval", "blocked", "errors", "generic", "oauth",
    ]

    private static func limited(_ text: String) -> String {
        let scalars = text.unicodeScalars
        return scalars.count > limit ? String(String.UnicodeScalarView(scalars.prefix(limit - 3))) + "..." : text
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
        return String(String.UnicodeScalarView(scalars))
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
