import FoundationEssentials

/// One HTTP request as the stand-ins see it.
struct IncomingRequest: Sendable {
    let method: String
    /// The path as received, still percent-encoded.
    let path: String
    /// The text after the first `?` as received; empty if there is none.
    let query: String
    /// Header fields in the order of arrival, with names in lower case.
    let header: [(name: String, value: String)]
    let body: [UInt8]

    func fields(_ name: String) -> [String] {
        header.filter { $0.name == name }.map(\.value)
    }

    /// The value of the first cookie with this name.
    func cookie(_ name: String) -> String? {
        for pair in fields("cookie").flatMap({ $0.split(separator: ";") }) {
            let trimmed = pair.drop { $0 == " " }
            if trimmed.hasPrefix(name + "=") { return String(trimmed.dropFirst(name.count + 1)) }
        }
        return nil
    }

    /// The media type without its parameters, in lower case.
    var mediaType: String? {
        fields("content-type").first?.split(separator: ";").first.map {
            $0.lowercased().filter { !$0.isWhitespace }
        }
    }

    /// The parameters of the query; `nil` if it is not `application/x-www-form-urlencoded`.
    var queryParameters: FormParameters? { FormParameters(query) }

    /// The parameters of the body; `nil` if its type or its text is not `application/x-www-form-urlencoded`.
    var bodyParameters: FormParameters? {
        guard mediaType == "application/x-www-form-urlencoded" else { return nil }
        return String(validating: body, as: UTF8.self).flatMap(FormParameters.init)
    }
}

/// The user name and password of an `Authorization: Basic` field (RFC 7617 §2).
struct BasicCredentials: Sendable, Equatable {
    let username: String
    let password: String

    /// Returns `nil` for another scheme, and for base64 with line breaks, spaces, missing padding or another deviation
    /// from RFC 4648 §4.
    init?(field: String) {
        let scheme = "basic "
        guard field.lowercased().hasPrefix(scheme) else { return nil }
        let encoded = field.dropFirst(scheme.count)
        guard let decoded = Data(base64Encoded: String(encoded)), decoded.base64EncodedString() == encoded,
            let text = String(validating: decoded, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        username = String(text[..<colon])
        password = String(text[text.index(after: colon)...])
    }
}

/// The access token of a request (RFC 6750 §2).
enum BearerToken: Equatable {
    case absent
    case present(String)
    /// The token was sent by several methods, or the field is not `Bearer` and one token.
    case malformed

    /// Reads the `Authorization` field, and `access_token` in `form` (§2.2) if the endpoint accepts a form.
    init(_ request: IncomingRequest, form: FormParameters? = nil) {
        let fields = request.fields("authorization")
        let inForm = form?.pairs.filter { $0.name == "access_token" }.map(\.value) ?? []
        switch (fields.count, inForm.count) {
        case (0, 0):
            self = .absent
        case (0, 1):
            self = .present(inForm[0])
        case (1, 0):
            let words = fields[0].split(separator: " ", omittingEmptySubsequences: false)
            guard words.count == 2, words[0].lowercased() == "bearer", !words[1].isEmpty else {
                self = .malformed
                return
            }
            self = .present(String(words[1]))
        default:
            self = .malformed
        }
    }
}
