internal import Jansson

/// An answer that gives nothing: RFC 6749 section 5.2 with `reason`, `code` and `request_id`.
struct Refusal: Error, Sendable {
    var status: Int
    var error: String
    let reason: String
    var sentence: String
    /// `same` or `restart`, where sending again may help.
    var retry: String?
    /// Seconds.
    var retryAfter: Int?
    /// Of a 405.
    var allowed: String?
    /// `WWW-Authenticate`.
    var challenge: String?
    /// What came in and was refused; answered only by mistake.
    var input: String?
    /// What follows on the connection is not read.
    var endsConnection = false
    /// What a page says in the place of the usual words.
    var page: String?

    init(_ status: Int, _ error: String, _ reason: String, _ sentence: String) {
        self.status = status
        self.error = error
        self.reason = reason
        self.sentence = sentence
    }

    func json(requestID: String) -> JSON {
        var members: [String: JSON] = [
            "error": .string(error), "error_description": .string(sentence), "reason": .string(reason),
            "code": .string(FirebaseCode.of(reason)), "request_id": .string(requestID),
        ]
        members["retry"] = retry.map(JSON.string)
        return .object(members)
    }

    func with(input: String) -> Refusal {
        var refusal = self
        refusal.input = input
        return refusal
    }

    /// RFC 6749 section 5.2 knows 400 and 401 at `/token`; RFC 8693 section 2.2.2 calls a bad subject token
    /// `invalid_request`.
    func atTokenEndpoint(isSubjectToken: Bool) -> Refusal {
        var refusal = self
        if status == 403 || status == 409 { refusal.status = 400 }
        if isSubjectToken, error == "invalid_grant" { refusal.error = "invalid_request" }
        return refusal
    }
}
