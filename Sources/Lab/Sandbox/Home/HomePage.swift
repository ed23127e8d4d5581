package import Transport

/// The sandbox's home page: plays an application that signs people in at the server, and shows every message of it.
///
/// | call | does |
/// | --- | --- |
/// | `GET /` | what there is to try |
/// | `POST /runs` `scenario` | begins a ``Run`` |
/// | `GET /runs/{id}` | its record |
/// | `POST /runs/{id}/steps/{number}/replay` | sends that step's request once more |
/// | `POST /runs/{id}/poll` | asks once more for a television's token |
/// | `GET /callback`, `GET /signin-callback` | the application's redirect URIs |
struct HomePage: Sendable {
    private let server: HomeServer
    private let store: RunStore

    init(server: HomeServer, clock: SandboxClock) {
        self.server = server
        store = RunStore(clock: clock)
    }

    var recorder: TrafficRecorder { TrafficRecorder(store: store, server: server) }

    /// Nil for a path that is not the home page's.
    func answer(_ request: IncomingRequest) async -> Answer? {
        guard let route = HomeRoute(path: request.path) else { return nil }
        guard let origin = HomeGuard.origin(request) else {
            return Page.message("Not from here", "This page answers to 127.0.0.1 alone.", status: 403)
        }
        guard request.method == route.method else {
            return Page.message("Not this way", "This address takes \(route.method) alone.", status: 405)
        }
        if HomeGuard.isLocalhost(request), route.method == "GET" {
            let query = request.query.isEmpty ? "" : "?" + request.query
            return .seeOther(origin + request.path + query)
        }
        if route.method == "POST", !HomeGuard.isFromHere(request, origin: origin) {
            return Page.message("Not from here", "This button works on the sandbox’s own page alone.", status: 403)
        }
        do throws(Refusal) {
            return try await answer(request, route, origin: origin)
        } catch {
            return error.answer
        }
    }

    private func answer(
        _ request: IncomingRequest, _ route: HomeRoute, origin: String
    ) async throws(Refusal) -> Answer {
        switch route {
        case .front:
            let isReachable = await self.isReachable
            return await FrontPage(server: server, isReachable: isReachable, recent: store.recent(8)).answer
        case .begin:
            guard let scenario = request.bodyParameters?["scenario"].flatMap(Scenario.init(rawValue:)) else {
                return Self.nothing
            }
            return try await begin(scenario, origin: origin)
        case .run(let id):
            guard let run = await store.run(id) else { return Self.nothing }
            return RunPage(run: run, server: server).answer
        case .replay(let id, let number):
            guard await Replayer(store: store, server: server).replay(number, of: id) else { return Self.nothing }
            return .seeOther("/runs/\(id)#step-\(number)")
        case .poll(let id):
            return await poll(id)
        case .callback, .signInCallback:
            guard let recorded = RecordedRequest(request) else { return Self.nothing }
            return await arrive(recorded, route, cookie: HomeCookie.run(request))
        }
    }

    private var isReachable: Bool {
        get async {
            var request = ServerMetadata.request(to: server).outbound
            request.timeout = .seconds(2)
            guard case .answer = await RunClient.outcome(of: request, by: server.transport) else { return false }
            return true
        }
    }

    private func begin(_ scenario: Scenario, origin: String) async throws(Refusal) -> Answer {
        let id = try await store.begin(scenario, origin: origin)
        let client = RunClient(
            run: id, scenario: scenario, origin: origin, server: server, store: store)
        var destination: String?
        switch scenario.card {
        case .browser: destination = try await BrowserFlow(client: client).begin()
        case .redirect: destination = await RedirectFlow(client: client).begin()
        case .library: await LibraryFlow(client: client).run()
        case .device: await DeviceFlow(client: client).begin()
        case .attack: await HostileFlow(client: client).run()
        }
        var answer = Answer.seeOther(destination ?? "/runs/\(id)")
        answer.header.append(HomeCookie.setting(id))
        return answer
    }

    private func poll(_ id: String) async -> Answer {
        guard let run = await store.run(id) else { return Self.nothing }
        if case .polling(let device) = run.stage { await DeviceFlow(client: client(run)).poll(device) }
        guard let polled = await store.run(id), case .polling = polled.stage, let last = polled.steps.last else {
            return .seeOther("/runs/\(id)")
        }
        return .seeOther("/runs/\(id)#step-\(last.number)")
    }

    /// The browser comes back; it must be the one that began, and the callback the one that is awaited.
    private func arrive(_ request: RecordedRequest, _ route: HomeRoute, cookie: String?) async -> Answer {
        let state = request.query?["state"]
        guard let cookie, let run = await store.run(cookie),
            let stage = await store.takeStage(cookie, if: { route.awaits($0, state: state) })
        else {
            return Page(
                title: "Nobody waits for this",
                content: """
                    <p>No sign-in of this browser awaits this callback: it was used, or it belongs to another browser.</p>
                    <p>The application refuses it by itself: <code>state_mismatch</code>.</p>
                    <p><a href="/">Back to the start</a></p>
                    """
            ).answer(status: 400)
        }
        let answer = Answer.seeOther("/runs/\(run.id)")
        switch stage {
        case .awaitingCode(_, let verifier, let tokenEndpoint):
            _ = await store.append(.codeCallback, request, Outcome(answer), to: run.id)
            await BrowserFlow(client: client(run))
                .end(request, verifier: verifier, tokenEndpoint: tokenEndpoint)
        case .awaitingCallback(let session):
            _ = await store.append(.signInCallback, request, Outcome(answer), to: run.id)
            await RedirectFlow(client: client(run)).end(request, session: session)
        case .working, .polling, .ended:
            break
        }
        return answer
    }

    private func client(_ run: Run) -> RunClient {
        RunClient(run: run.id, scenario: run.scenario, origin: run.origin, server: server, store: store)
    }

    private static var nothing: Answer {
        Page(
            title: "Nothing is here",
            content: """
                <p>There is no such run, or it was forgotten: the last \(RunStore.maximumRuns) are kept while the sandbox \
                runs.</p>
                <p><a href="/">Back to the start</a></p>
                """
        ).answer(status: 404)
    }
}

/// The server that the home page signs in at, and the way to it.
package struct HomeServer: Sendable {
    /// Its issuer, an origin without a trailing slash.
    let publicURL: String
    let transport: HTTPTransport

    /// - Parameters:
    ///   - publicURL: such as `http://127.0.0.1:8080`, as the server's own configuration has it.
    ///   - transport: must allow `http` to loopback.
    package init(publicURL: String, transport: HTTPTransport) {
        self.publicURL = publicURL
        self.transport = transport
    }

    /// Where a provider may send the browser: back to the server, or to the home page at that origin.
    func redirectURIs(of provider: String, home: String) -> [String] {
        ["\(publicURL)/callback/\(provider)", home + HomeClient.signInCallbackPath]
    }
}
