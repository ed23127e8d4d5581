import Jansson
import Testing
import Transport

/// Expects a page that tells a person what went wrong, and leads nowhere.
func expectProblem(
    _ answer: OutboundResponse?, _ heading: String, status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let answer = try #require(answer, "The server hung up.", sourceLocation: sourceLocation)
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.heading == heading, "\(answer.location ?? answer.text)", sourceLocation: sourceLocation)
    #expect(answer.location == nil, sourceLocation: sourceLocation)
    #expect(answer.hiddenFlow == nil, sourceLocation: sourceLocation)
    expectPage(answer, sourceLocation: sourceLocation)
}

/// Expects what every page is: safe from frames, scripts and caches.
func expectPage(_ answer: OutboundResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    expectSafeHeader(answer, sourceLocation: sourceLocation)
    #expect(answer[field: "Content-Type"] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
    #expect(answer[field: "X-Frame-Options"] == "DENY", sourceLocation: sourceLocation)
    let policy = answer[field: "Content-Security-Policy"] ?? ""
    #expect(
        policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"), "\(policy)",
        sourceLocation: sourceLocation)
    #expect(!policy.contains("script"), sourceLocation: sourceLocation)
    #expect(!answer.text.contains("<script"), sourceLocation: sourceLocation)
}

/// Expects that the application hears of an error at its redirect URI (RFC 6749 §4.1.2.1), and of nothing else.
func expectTold(
    _ answer: OutboundResponse, _ error: String, redirectURI: String = Asking.redirectURI,
    state: String? = Asking.state, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == 303, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(
        answer.location?.hasPrefix(redirectURI + "?") ?? false, "\(answer.location ?? "no Location")",
        sourceLocation: sourceLocation)
    let told = answer.told
    #expect(told["error"] == error, "\(told)", sourceLocation: sourceLocation)
    #expect(told["error_description"]?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(told["state"] == state, sourceLocation: sourceLocation)
    #expect(told["iss"] == "https://auth.example.com", sourceLocation: sourceLocation)
    #expect(
        told.keys.sorted() == ["error", "error_description", "iss"] + (state == nil ? [] : ["state"]),
        sourceLocation: sourceLocation)
    expectSafeHeader(answer, sourceLocation: sourceLocation)
}

/// Expects a custom token of `POST /token`.
func expectToken(
    _ answer: OutboundResponse, uid: String = "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(answer.status == 200, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.json?["uid"]?.string == uid, sourceLocation: sourceLocation)
    #expect(answer.json?["access_token"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
}

/// Expects that nothing is signed in, for one of the reasons of `POST /token`, where 403 and 409 are 400.
func expectNoToken(
    _ answer: OutboundResponse?, _ error: String, _ reason: String, status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let answer = try #require(answer, "The server hung up.", sourceLocation: sourceLocation)
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.json?["error"]?.string == error, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.reason == reason, "\(answer.text)", sourceLocation: sourceLocation)
    #expect(answer.json?["access_token"] == nil, sourceLocation: sourceLocation)
    expectSafeHeader(answer, sourceLocation: sourceLocation)
}
