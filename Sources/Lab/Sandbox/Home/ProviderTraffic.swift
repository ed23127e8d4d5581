import Jansson

/// Records the messages that reach the stand-ins from the browser and from the server.
///
/// Messages of the browser carry the home page's cookie, since a cookie is sent to all ports of a host. Messages of the
/// server carry a code or token that is already in the record.
struct TrafficRecorder: Sendable {
    let store: RunStore
    let server: HomeServer

    func see(_ endpoint: Endpoint, _ request: IncomingRequest, _ answer: Answer) async {
        guard let exchange = ProviderMessage(endpoint, request, answer) else { return }
        guard let run = await store.run(named: HomeCookie.scenario.run(request), orKnowing: exchange.handles) else {
            // The first message of an OAuth 1.0a flow is assigned later, when the browser sends its token.
            if exchange.kind == .requestToken { await store.keep(unassigned: exchange, Outcome(answer)) }
            return
        }
        await store.recognize(exchange.handles, as: run.id)
        _ = await store.append(exchange.kind, exchange.request, Outcome(answer), to: run.id)
        if let location = exchange.location, location.hasPrefix(server.publicURL + "/") {
            _ = await store.append(
                .providerCallback, .get(location), .elsewhere,
                note: "The browser also sends the cookie of its flow. Without the cookie the URL is worth nothing.",
                to: run.id)
        }
    }
}

/// A message that a stand-in received, with the values that assign it to a run.
struct ProviderMessage: Sendable {
    let kind: StepKind
    let request: RecordedRequest
    /// The codes, request tokens and access tokens in request and answer.
    let handles: Set<String>
    /// The URL that the answer redirects the browser to.
    let location: String?

    /// Returns `nil` if the message belongs to no sign-in or is a replay.
    init?(_ endpoint: Endpoint, _ request: IncomingRequest, _ answer: Answer) {
        guard let kind = StepKind(endpoint), let recorded = RecordedRequest(request),
            request.fields(Replayer.mark).isEmpty
        else { return nil }
        self.kind = kind
        self.request = recorded
        location = answer.location

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

    /// The `oauth_token` of an OAuth 1.0a header field (RFC 5849 §3.5.1).
    private static func oauthToken(_ field: String?) -> String? {
        guard let field, let start = field.firstRange(of: "oauth_token=\"") else { return nil }
        return PercentEncoding.decode(field[start.upperBound...].prefix { $0 != "\"" }, plusIsSpace: false)
    }
}
