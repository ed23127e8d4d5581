package import Jansson
internal import Standards
package import Transport

extension OutboundResponse {
    /// Parses the body as a JSON object.
    ///
    /// The media type is not read: providers send JSON as `text/plain` or `text/html`, and no other text begins with
    /// `{`.
    ///
    /// - Parameter request: The request, whose credentials are left out of what the operator reads about a page.
    /// - Throws: `ProviderFailure.notJSON` for a body that the tolerant parser refuses: text before or after the
    ///   object, too many levels.
    package func jsonObject(
        of endpoint: ProviderEndpoint, to request: OutboundRequest? = nil
    ) throws(ProviderFailure) -> JSON {
        let answer = try json(of: endpoint, to: request)
        guard answer.object != nil else { throw .notJSON(endpoint, answer.typeName) }
        return answer
    }

    /// Parses the body as JSON, which may also be a list.
    package func json(of endpoint: ProviderEndpoint, to request: OutboundRequest?) throws(ProviderFailure) -> JSON {
        guard let answer = JSON.answer(in: body) else {
            let form = body.form
            // The title of a page about a person may be a name.
            let mayQuote = form == AnswerForm.page && ![.user, .emails].contains(endpoint)
            let words = mayQuote ? request.flatMap { ProviderWords.of(self, to: $0) } : nil
            let detail = form == AnswerForm.other ? mediaType : words
            throw .notJSON(endpoint, form + (detail.map { " (\($0))" } ?? ""))
        }
        return answer
    }

    /// The media type of the body without its parameters; `nil` for a text that is none.
    private var mediaType: String? {
        self[field: "Content-Type"]?.lowercased().firstMatch(of: /^\s*([a-z]{1,20}\/[a-z0-9.+-]{1,60})\s*(;|$)/)
            .map { String($0.output.1) }
    }
}

extension JSON {
    fileprivate static let maximumAnswerBytes = 256 * 1024

    /// The answer of a provider in a body; `nil` for a body that is longer than 256 KiB, or that the tolerant parser
    /// refuses.
    static func answer(in body: [UInt8]) -> JSON? {
        try? parse(tolerantly: body.withoutByteOrderMark, maximumBytes: maximumAnswerBytes)
    }
}

/// The forms of a body that have an advice of their own.
enum AnswerForm {
    /// A signed or an encrypted JWT (RFC 7519).
    static let jwt = "a JWT"
    static let call = "JSON in the call of a function (JSONP)"
    static let other = "of another form"
    static let empty = "empty"
    static let null = "null"
    static let page = "a page"
    static let compressed = "compressed with gzip, without the field Content-Encoding"
}

extension [UInt8] {
    /// Whether the body begins as an object or a list of JSON does.
    package var isJSONText: Bool { first { !" \t\r\n".utf8.contains($0) }.map("{[".utf8.contains) ?? false }

    /// Whether an object of JSON follows other text to the end of the body, such as a warning of PHP.
    package var isJSONAfterText: Bool {
        guard !isJSONText, let start = zip(self, dropFirst()).enumerated().first(where: { $1 == (0x7B, 0x22) })?.offset
        else { return false }
        return JSON.answer(in: Array(self[start...]))?.object != nil
    }

    /// The JSON in a body such as `callback( {"error": 1} );`, which is a program (JSONP); `nil` for another body.
    var argumentOfCall: [UInt8]? {
        guard let start = firstIndex(of: UInt8(ascii: "(")), let end = lastIndex(of: UInt8(ascii: ")")), start < end
        else { return nil }
        let name = String(decoding: self[..<start], as: UTF8.self)
        let isName = name.wholeMatch(of: /\s*[A-Za-z_$][\w$.]{0,63}\s*/) != nil
        guard isName, self[(end + 1)...].allSatisfy(" \t\r\n;".utf8.contains) else { return nil }
        let argument = Array(self[(start + 1)..<end])
        return argument.isJSONText ? argument : nil
    }

    /// What a body is that is not JSON.
    var form: String {
        if isEmpty { return AnswerForm.empty }
        if String(decoding: self, as: UTF8.self).wholeMatch(of: /\s*null\s*/) != nil { return AnswerForm.null }
        if starts(with: [0x1F, 0x8B]) { return AnswerForm.compressed }
        if count > JSON.maximumAnswerBytes { return "longer than 256 KiB" }
        if isJSONText { return "JSON with an error, or with too many levels" }
        if argumentOfCall != nil { return AnswerForm.call }
        if isJSONAfterText { return "JSON after other text" }
        if isPage { return isXML ? "XML" : AnswerForm.page }
        // The base64url of an object begins so, and a JWT has at least three parts.
        return starts(with: "eyJ".utf8) && count(where: { $0 == UInt8(ascii: ".") }) > 1
            ? AnswerForm.jwt : AnswerForm.other
    }
}
