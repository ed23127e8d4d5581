import Jansson
import Testing
import Transport

/// Expects an error page without a form or a redirect.
func expectProblem(
    _ response: OutboundResponse?, _ heading: String, status: Int = 400,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let response = try #require(response, "The server hung up.", sourceLocation: sourceLocation)
    #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.heading == heading, "\(response.location ?? response.text)", sourceLocation: sourceLocation)
    #expect(response.location == nil, sourceLocation: sourceLocation)
    #expect(response.hiddenFlow == nil, sourceLocation: sourceLocation)
    expectPage(response, sourceLocation: sourceLocation)
}

/// Expects the header fields of every page, which protect it from frames, scripts and caches.
func expectPage(_ response: OutboundResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    expectProtectedPage(response, sourceLocation: sourceLocation)
    let policy = response[field: "Content-Security-Policy"] ?? ""
    #expect(!policy.contains("script"), sourceLocation: sourceLocation)
    #expect(!response.text.contains("<script"), sourceLocation: sourceLocation)
    #expect(response[field: "Cross-Origin-Opener-Policy"] == nil, sourceLocation: sourceLocation)
}

/// Expects the header fields of every page, also of the pages with a script.
func expectProtectedPage(_ response: OutboundResponse, sourceLocation: SourceLocation = #_sourceLocation) {
    expectSafeHeader(response, sourceLocation: sourceLocation)
    #expect(response[field: "Content-Type"] == "text/html; charset=utf-8", sourceLocation: sourceLocation)
    #expect(response[field: "X-Frame-Options"] == "DENY", sourceLocation: sourceLocation)
    let policy = response[field: "Content-Security-Policy"] ?? ""
    #expect(
        policy.hasPrefix("default-src 'none'; ") && policy.contains("frame-ancestors 'none'"), "\(policy)",
        sourceLocation: sourceLocation)
}

/// Expects a redirect that reports an error to the application (RFC 6749 §4.1.2.1) and nothing else.
func expectTold(
    _ response: OutboundResponse, _ error: String, redirectURI: String = BrowserRequest.redirectURI,
    state: String? = BrowserRequest.state, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == 303, "\(response.text)", sourceLocation: sourceLocation)
    #expect(
        response.location?.hasPrefix(redirectURI + "?") ?? false, "\(response.location ?? "no Location")",
        sourceLocation: sourceLocation)
    let told = response.told
    #expect(told["error"] == error, "\(told)", sourceLocation: sourceLocation)
    #expect(told["error_description"]?.isEmpty == false, sourceLocation: sourceLocation)
    #expect(told["state"] == state, sourceLocation: sourceLocation)
    #expect(told["iss"] == "https://auth.example.com", sourceLocation: sourceLocation)
    #expect(
        told.keys.sorted() == ["error", "error_description", "iss"] + (state == nil ? [] : ["state"]),
        sourceLocation: sourceLocation)
    expectSafeHeader(response, sourceLocation: sourceLocation)
}

/// Expects a custom token of `POST /token`.
func expectToken(
    _ response: OutboundResponse, uid: String = "yahoo.com:ALICEWJNWVNQD4GXZ5NGMZUST4",
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(response.status == 200, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.json?["uid"]?.string == uid, sourceLocation: sourceLocation)
    #expect(response.json?["access_token"]?.string?.isEmpty == false, sourceLocation: sourceLocation)
}

/// Expects an error of `POST /token`, where 403 and 409 become 400.
func expectNoToken(
    _ response: OutboundResponse?, _ error: String, _ reason: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let response = try #require(response, "The server hung up.", sourceLocation: sourceLocation)
    #expect(response.status == 400, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.json?["error"]?.string == error, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.reason == reason, "\(response.text)", sourceLocation: sourceLocation)
    #expect(response.json?["access_token"] == nil, sourceLocation: sourceLocation)
    expectSafeHeader(response, sourceLocation: sourceLocation)
}
