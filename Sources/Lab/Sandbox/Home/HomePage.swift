package import Transport

/// The sandbox's home page: it acts as an application that signs users in at the server, and shows every message.
///
/// | call | effect |
/// | --- | --- |
/// | `GET /` | shows the front page |
/// | `POST /runs` `scenario`, `provider` | starts a ``Run`` |
/// | `GET /runs/{id}` | shows its record |
/// | `POST /runs/{id}/steps/{number}/replay` | sends the request of that step once more |
/// | `POST /runs/{id}/poll` | polls once for the token of a device |
/// | `POST /runs/{id}/signout` | signs the user of ``SignOutFlow`` out |
/// | `POST /users/{user}/reset` | resets a user, as the control command does |
/// | `POST /users/{user}/factor` | adds an authenticator application to the account of a user |
/// | `GET /console`, `POST /console` | ``Console``: builds and sends a request |
/// | `GET /callback`, `GET /signin-callback/{provider}` | receive the application's redirects |
/// | `POST /callback` | receives the form of `form_post`, and of the page that got the message of a pop-up window |
struct HomePage: Sendable {
    let server: HomeServer
    let store: RunStore
    let expected: ExpectedUser
    let hasDocumentation: Bool
    /// Makes the next sign-in of a user at every stand-in the first one.
    let forgetUser: @Sendable (SandboxUser) async -> Void

    var recorder: TrafficRecorder { TrafficRecorder(store: store, server: server) }

    /// Returns `nil` if the path does not belong to the home page.
    func answer(_ request: IncomingRequest) async -> Answer? {
        guard let route = HomeRoute(path: request.path) else { return nil }
        guard let origin = HomeGuard.origin(request) else {
            return Page.message(
                "Not allowed", "Open this page at 127.0.0.1. Other host names are refused.", status: 403)
        }
        guard route.methods.contains(request.method) else {
            return Page.message(
                "Wrong method", "This address accepts only \(route.methods.joined(separator: " and ")).", status: 405)
        }
        if HomeGuard.isLocalhost(request), request.method == "GET" {
            let query = request.query.isEmpty ? "" : "?" + request.query
            return .seeOther(origin + request.path + query)
        }
        if request.method == "POST", !route.isFromServer, !HomeGuard.isFromHere(request, origin: origin) {
            return Page.message("Not allowed", "This button works only on the sandbox’s own page.", status: 403)
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
            return await FrontPage(
                server: server, isReachable: isReachable, hasDocumentation: hasDocumentation, recent: store.recent(8),
                users: UsersView(
                    authenticators: store.authenticators, now: store.now,
                    notice: UsersView.Notice(request.queryParameters))
            ).answer
        case .begin:
            guard let scenario = request.bodyParameters?["scenario"].flatMap(Scenario.init(rawValue:)),
                scenario.card != .console
            else { return Self.nothing }
            let provider = scenario.card == .provider ? request.bodyParameters?["provider"] : scenario.provider
            guard let provider, scenario.card != .provider || DocumentedProvider(id: provider) != nil else {
                return Self.nothing
            }
            return try await begin(scenario, with: provider, origin: origin)
        case .run(let id):
            guard let run = await store.run(id) else { return Self.nothing }
            let authenticator = await store.authenticators[run.scenario.user.key]
            return RunPage(run: run, server: server, authenticator: authenticator, now: await store.now).answer
        case .replay(let id, let number):
            guard await Replayer(store: store, server: server).replay(number, of: id) else { return Self.nothing }
            guard await store.run(id)?.scenario != .console else {
                return .seeOther(Console.location(run: id, step: number))
            }
            return .seeOther("/runs/\(id)#step-\(number)")
        case .console:
            return try await Console(server: server, store: store).answer(request, origin: origin)
        case .poll(let id):
            return await poll(id)
        case .signOut(let id):
            return await signOut(id)
        case .reset(let key):
            guard let user = SandboxUser(key: key) else { return Self.noUser }
            _ = await reset(user, origin: origin)
            return .seeOther(UsersView.Notice(.reset, user).location)
        case .addFactor(let key):
            guard let user = SandboxUser(key: key) else { return Self.noUser }
            let isAdded = await accounts(origin).addFactor(to: user)
            return .seeOther(UsersView.Notice(isAdded ? .factor : .refused, user).location)
        case .callback, .signInCallback:
            guard let recorded = RecordedRequest(request) else { return Self.nothing }
            return await arrive(recorded, route, cookie: HomeCookie.scenario.run(request))
        }
    }

    /// Removes the accounts of a user at the server, and makes the next sign-in at every stand-in the first one.
    ///
    /// - Parameter origin: The origin of the home page.
    /// - Returns: The uids of the removed accounts.
    func reset(_ user: SandboxUser, origin: String) async -> [String] {
        await forgetUser(user)
        return await accounts(origin).remove(of: user)
    }

    private func accounts(_ origin: String) -> UserAccounts {
        UserAccounts(server: server, origin: origin, store: store)
    }

    private var isReachable: Bool {
        get async {
            let request = ServerMetadata.request(to: server)
            guard
                case .answer = await RunClient.outcome(of: request, by: server.transport, timeout: .seconds(2))
            else { return false }
            return true
        }
    }

    private func begin(
        _ scenario: Scenario, with provider: String, origin: String
    ) async throws(Refusal) -> Answer {
        let id = try await store.begin(scenario, with: provider, origin: origin)
        expected.expect(scenario.user)
        let client = RunClient(
            run: id, scenario: scenario, provider: provider, origin: origin, server: server, store: store)
        var destination: String?
        switch scenario.card {
        case .browser, .provider:
            let url = try await BrowserFlow(client: client).begin()
            // The page of the run opens the pop-up window, so that it is the opener.
            destination = scenario == .browserPopUp ? nil : url
        case .redirect: destination = await RedirectFlow(client: client).begin()
        case .library: await LibraryFlow(client: client).run()
        case .device: await DeviceFlow(client: client).begin()
        case .account where scenario == .conflict: destination = try await AccountFlow(client: client).beginConflict()
        case .account where scenario == .guest: await GuestFlow(account: AccountFlow(client: client)).run()
        case .account where scenario == .signOut: await SignOutFlow(client: client).begin()
        case .account: try await AccountFlow(client: client).beginSecondFactor()
        case .attack: await HostileFlow(client: client).run()
        case .console: destination = Console.path
        }
        var answer = Answer.seeOther(destination ?? "/runs/\(id)")
        answer.header.append(HomeCookie.scenario.setting(id))
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

    private func signOut(_ id: String) async -> Answer {
        let stage = await store.takeStage(id) { stage in if case .signedIn = stage { true } else { false } }
        guard let run = await store.run(id) else { return Self.nothing }
        if case .signedIn(let phone, let laptop) = stage {
            await SignOutFlow(client: client(run)).end(phone: phone, laptop: laptop)
        }
        return .seeOther("/runs/\(id)")
    }

    /// Receives a callback.
    ///
    /// The browser must be the one that started the run, and the run must be waiting for this callback.
    private func arrive(_ request: RecordedRequest, _ route: HomeRoute, cookie: String?) async -> Answer {
        let state = request.response?["state"]
        guard let cookie, let run = await store.run(cookie),
            let stage = await store.takeStage(cookie, if: { route.awaits($0, state: state) })
        else {
            return Page(
                title: "No sign-in is waiting for this",
                content: """
                    <p>No sign-in of this browser is waiting for this callback: it was used before, or it belongs to another \
                    browser.</p>
                    <p>The application refuses it without asking the server: <code>state_mismatch</code>.</p>
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
        case .working, .polling, .signedIn, .ended:
            break
        }
        return answer
    }

    private func client(_ run: Run) -> RunClient {
        RunClient(
            run: run.id, scenario: run.scenario, provider: run.provider, origin: run.origin, server: server,
            store: store)
    }

    private static var noUser: Answer { Page.message("Not found", "The stand-ins have no such user.", status: 404) }

    private static var nothing: Answer {
        Page(
            title: "Not found",
            content: """
                <p>There is no such run. The sandbox keeps only the last \(RunStore.maximumRuns) runs, until it \
                stops.</p>
                <p><a href="/">Back to the start</a></p>
                """
        ).answer(status: 404)
    }
}

/// The server at which the home page signs users in, and the HTTP client for it.
package struct HomeServer: Sendable {
    /// Its issuer, an origin without a trailing slash.
    let publicURL: String
    let transport: HTTPTransport

    /// - Parameters:
    ///   - publicURL: The server's `public_url`, for example `http://127.0.0.1:8080`.
    ///   - transport: A client that allows `http` to loopback.
    package init(publicURL: String, transport: HTTPTransport) {
        self.publicURL = publicURL
        self.transport = transport
    }

    /// The redirect URIs to register at a provider: the server's, and that of the home page with the origin `home`.
    func redirectURIs(of provider: String, home: String) -> [String] {
        ["\(publicURL)/callback/\(provider)", home + HomeClient.signInCallbackPath + provider]
    }
}
