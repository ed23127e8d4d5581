import Jansson
import Support
import Testing
import Transport

/// Expects an error response as in the contract: status, error and code of the reason, all members and header fields.
///
/// `retry`: `same` or `restart` with 429 and 5xx, else nil. `further`: members that this reason has besides.
func expectRefusal(
    _ response: OutboundResponse?, _ reason: String, retry: String? = nil, further: [String] = [],
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let response = try #require(response, "The server hung up.", sourceLocation: sourceLocation)
    let body = try #require(response.json?.object, "\(response.text)", sourceLocation: sourceLocation)
    #expect(body["reason"]?.string == reason, "\(response.text)", sourceLocation: sourceLocation)
    let row = try #require(Contract.rows()[reason], sourceLocation: sourceLocation)
    #expect(response.status == row.status, sourceLocation: sourceLocation)
    #expect(body["error"]?.string == row.error, sourceLocation: sourceLocation)
    #expect(body["code"]?.string == row.code, sourceLocation: sourceLocation)
    #expect(body["retry"]?.string == retry, sourceLocation: sourceLocation)
    // Without a role at Google, the signer is unavailable until the operator grants it.
    let isLasting = reason == "provider_refuses_us" || reason == "signer_unavailable" && retry == nil
    #expect(
        (retry != nil) == ((row.status == 429 || row.status >= 500) && !isLasting),
        "429 and 5xx say whether to try again, and nothing else does; what an operator has to mend does not.",
        sourceLocation: sourceLocation)
    let members =
        ["code", "error", "error_description", "reason", "request_id"] + (retry == nil ? [] : ["retry"])
        + (["parameter_not_allowed", "reserved_parameter"].contains(reason) ? ["parameter"] : [])
    #expect(body.keys.sorted() == (members + further).sorted(), sourceLocation: sourceLocation)
    let description = body["error_description"]?.string ?? ""
    #expect(!description.isEmpty, sourceLocation: sourceLocation)
    // RFC 6749 §5.2: printable ASCII without quotation mark and backslash.
    #expect(
        description.utf8.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }, "\(description)",
        sourceLocation: sourceLocation)
    // What was wrong, then what to do, in plain English.
    #expect(description.hasSuffix("."), "\(description)", sourceLocation: sourceLocation)
    #expect(riddles.isDisjoint(with: words(of: description)), "\(description)", sourceLocation: sourceLocation)
    #expect(response[field: "Content-Type"] == "application/json", sourceLocation: sourceLocation)
    expectSafeHeader(response, sourceLocation: sourceLocation)
    #expect(
        response[field: "X-Request-Id"] == body["request_id"]?.string, sourceLocation: sourceLocation)
    // RFC 6750 §3, and no other 401 of ours is about a bearer.
    let isOfBearer = response[field: "WWW-Authenticate"]?.hasPrefix("Bearer realm=") ?? false
    #expect(isOfBearer == (row.error == "invalid_token"), sourceLocation: sourceLocation)
    let seconds = response[field: "Retry-After"].flatMap { Int($0) }
    #expect((seconds ?? 1) > 0, sourceLocation: sourceLocation)
    if row.status == 429 || row.status == 503 { #expect(seconds != nil, sourceLocation: sourceLocation) }
    if row.status < 429 {
        #expect((seconds != nil) == (reason == "second_factor_locked"), sourceLocation: sourceLocation)
    }
}

private let riddles: Set<String> = [
    "alone", "anybody", "nobody", "somebody", "where", "who", "whoever", "whom",
]

private func words(of text: String) -> [String] {
    text.lowercased().split { !$0.isLetter }.map(String.init)
}

/// Expects the header fields of every response.
func expectSafeHeader(_ response: OutboundResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(response[field: "Cache-Control"] == "no-store", sourceLocation: sourceLocation)
    #expect(response[field: "X-Content-Type-Options"] == "nosniff", sourceLocation: sourceLocation)
    #expect(response[field: "Referrer-Policy"] == "no-referrer", sourceLocation: sourceLocation)
    #expect(response[field: "X-Request-Id"]?.utf8.count == 32, sourceLocation: sourceLocation)
    #expect(response[field: "Server"] == nil, "No product, no version.", sourceLocation: sourceLocation)
}
