import Jansson
import Transport

/// Writes into the record what passes at the stand-ins: between browser and provider, and between server and provider.
///
/// The browser's messages carry the home page's cookie, since cookies do not know ports; the server's carry a code or
/// token that occurred before.
struct TrafficRecorder: Sendable {
    let store: RunStore
    let server: HomeServer

    func see(_ endpoint: Endpoint, _ request: IncomingRequest, _ answer: Answer) async {
        guard let exchange = ProviderMessage(endpoint, request, answer) else { return }
        guard let run = await store.run(named: HomeCookie.run(request), orKnowing: exchange.handles) else {
            // What begins an OAuth 1.0a flow is known by its token, once the browser brings it.
            if exchange.kind == .requestToken { await store.keep(unassigned: exchange, Outcome(answer)) }
            return
        }
        await store.recognize(exchange.handles, as: run.id)
        _ = await store.append(exchange.kind, exchange.request, Outcome(answer), to: run.id)
        if let location = exchange.location, location.hasPrefix(server.publicURL + "/") {
            _ = await store.append(
                .providerCallback, .get(location), .elsewhere,
                note: "With it the browser sends the cookie of its flow, without which the URL is worth nothing.",
                to: run.id)
        }
    }
}

/// One message that a stand-in received, and what in it tells to which run it belongs.
struct ProviderMessage: Sendable {
    let kind: StepKind
    let request: RecordedRequest
    /// Codes, request tokens and access tokens, of request and answer.
    let handles: Set<String>
    /// Where the answer sends the browser.
    let location: String?

    /// Nil for a message that belongs to no sign-in, or was sent to be refused.
    init?(_ endpoint: Endpoint, _ request: IncomingRequest, _ answer: Answer) {
        guard let kind = StepKind(endpoint), let recorded = RecordedRequest(request),
            request.fields(Replayer.mark).isEmpty
        else { return nil }
        self.kind = kind
        self.request = recorded
        location = answer.header.first { $0.name == "Location" }?.value

        let names: Set<String> = ["code", "oauth_token", "access_token"]
        var found: [String?] = []
        for parameters in [recorded.query, recorded.form, location.flatMap { RecordedRequest.get($0).query }] {
            found += parameters?.pairs.filter { names.contains($0.name) }.map(\.value) ?? []
        }
        if case .present(let token) = BearerToken(request) { found.append(token) }
        if let body = try? JSON.parse(answer.body, maximumBytes: 1 << 20) {
            found.append(body["access_token"]?.string)
        } else if endpoint == .xRequestToken || endpoint == .xAccessToken {
            found.append(FormParameters(String(decoding: answer.body, as: UTF8.self))?["oauth_token"])
        }
        found.append(Self.oauthToken(recorded[field: "authorization"]))
        handles = Set(found.compactMap(\.self))
    }

    /// Of an OAuth 1.0a header (RFC 5849 §3.5.1).
    private static func oauthToken(_ field: String?) -> String? {
        guard let field, let start = field.firstRange(of: "oauth_token=\"") else { return nil }
        return PercentEncoding.decode(field[start.upperBound...].prefix { $0 != "\"" }, plusIsSpace: false)
    }
}
