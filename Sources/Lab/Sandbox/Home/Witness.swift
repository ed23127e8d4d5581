/// Writes into the record what passes at the stand-ins: between browser and provider, and between server and provider.
///
/// The browser's messages carry the home page's cookie, since cookies do not know ports; the server's carry a code or
/// token that occurred before.
struct Witness: Sendable {
    let store: RunStore
    let server: HomeServer

    func see(_ endpoint: Endpoint, _ request: IncomingRequest, _ answer: Answer) async {
        guard let exchange = WitnessedExchange(endpoint, request, answer) else { return }
        guard let run = await store.run(named: HomeCookie.run(request), orKnowing: exchange.handles) else {
            // What begins an OAuth 1.0a flow is known by its token, once the browser brings it.
            if exchange.kind == .requestToken { await store.keep(stray: exchange, Outcome(answer)) }
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
