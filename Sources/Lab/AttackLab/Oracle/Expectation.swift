/// The response of a correct server to one hostile request.
package struct Expectation: Sendable {
    let statuses: Set<Int>
    /// The allowed values of `error`; `nil` if the response need not be JSON.
    var errors: Set<String>?
    var reasons: Set<String>?
    /// Whether the response must be an HTML page without a redirect.
    var isPage = false
    /// Whether the connection may end without a response.
    var mayClose = false

    /// Returns the expectation of 400 `invalid_grant` with one of these reasons; any reason if none is given.
    static func refused(_ reasons: String..., status: Int = 400, error: String = "invalid_grant") -> Self {
        Self(statuses: [status], errors: [error], reasons: reasons.isEmpty ? nil : Set(reasons))
    }

    /// Returns the expectation of 400 `invalid_request` with one of these reasons; any reason if none is given.
    static func malformed(_ reasons: String...) -> Self {
        Self(statuses: [400], errors: ["invalid_request"], reasons: reasons.isEmpty ? nil : Set(reasons))
    }

    /// Returns the expectation of 401 `invalid_token` with one of these reasons.
    static func unauthorized(_ reasons: String...) -> Self {
        Self(statuses: [401], errors: ["invalid_token"], reasons: Set(reasons))
    }

    /// Returns the expectation of 403 `access_denied` with one of these reasons.
    static func denied(_ reasons: String...) -> Self {
        Self(statuses: [403], errors: ["access_denied"], reasons: Set(reasons))
    }

    /// Returns the expectation of 409 `invalid_request` with one of these reasons.
    static func conflict(_ reasons: String...) -> Self {
        Self(statuses: [409], errors: ["invalid_request"], reasons: Set(reasons))
    }

    /// Returns the expectation of 502 with one of these reasons: the provider's response is of no use.
    static func unusable(_ reasons: String...) -> Self {
        Self(statuses: [502], errors: ["temporarily_unavailable"], reasons: Set(reasons))
    }

    static let timeout = refused("provider_timeout", status: 504, error: "temporarily_unavailable")
    static let rateLimited = refused("rate_limited", status: 429, error: "temporarily_unavailable")
    static let unknownClient = refused("unknown_client", status: 401, error: "invalid_client")
    static let methodNotAllowed = refused("method_not_allowed", status: 405, error: "invalid_request")
    static let unsupportedMediaType = refused("unsupported_media_type", status: 415, error: "invalid_request")
    static let tooLarge = refused("body_too_large", status: 413, error: "invalid_request")

    /// Returns the expectation of a page with this status, and no redirect.
    static func page(_ status: Int = 400) -> Self {
        var expectation = Self(statuses: [status])
        expectation.isPage = true
        return expectation
    }

    /// Returns the expectation of one of these statuses, with any body.
    static func status(_ statuses: Int...) -> Self { Self(statuses: Set(statuses)) }

    /// The same expectation, but the server may also close the connection.
    var orClosed: Self {
        var expectation = self
        expectation.mayClose = true
        return expectation
    }

    /// Returns an expectation that both responses meet.
    func or(_ other: Self) -> Self {
        var both = Self(statuses: statuses.union(other.statuses))
        both.errors = errors.flatMap { errors in other.errors.map { errors.union($0) } }
        both.reasons = reasons.flatMap { reasons in other.reasons.map { reasons.union($0) } }
        both.mayClose = mayClose || other.mayClose
        return both
    }

    var sentence: String {
        var parts = [statuses.sorted().map(String.init).joined(separator: " or ")]
        if let errors { parts.append(errors.sorted().joined(separator: " or ")) }
        if let reasons { parts.append(reasons.sorted().joined(separator: " or ")) }
        if isPage { parts.append("page") }
        return parts.joined(separator: " ") + (mayClose ? ", or hanging up" : "")
    }

    /// Returns the finding if status, error, reason or form of the response are wrong; `nil` otherwise.
    func finding(_ answer: Answer) -> Finding? {
        if let credential = IssuedCredential.of(answer) {
            return Finding(.minted, "The server gave away \(credential).")
        }
        let got = [String(answer.status), answer["error"], answer["reason"]].compactMap(\.self).joined(separator: " ")
        let isRight =
            statuses.contains(answer.status)
            && errors.map { answer["error"].map($0.contains) ?? false } ?? true
            && reasons.map { answer["reason"].map($0.contains) ?? false } ?? true
            && (!isPage
                || (answer.field("location") == nil && answer.field("content-type")?.hasPrefix("text/html") == true))
        return isRight ? nil : Finding(.wrongAnswer, "Expected \(sentence), and got \(got).")
    }
}
