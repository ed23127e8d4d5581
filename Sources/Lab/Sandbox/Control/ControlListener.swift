import Jansson

/// The control listener: tests and attack runs control the stand-ins through it, in JSON.
///
/// | call | effect |
/// | --- | --- |
/// | `GET /requests?since=N` | requests after number N: endpoint, method, path, status, names of parameters |
/// | `DELETE /requests` | removes them |
/// | `PUT /faults`, `DELETE /faults` | ``Fault`` |
/// | `PUT /claims`, `DELETE /claims` | ``IDTokenDefect`` |
/// | `POST /issue` | ``IssueCommand``: tokens and codes without a browser |
/// | `POST /clock` `{"offset_seconds": 60}` | sets the clock of the stand-ins relative to the real time |
/// | `GET /applications`, `GET /users` | registered applications with their secrets, and users |
/// | `POST /users/reset` `{"user": "alice"}` | removes the user's accounts at the server, and the consents; `{"removed": [uid]}` |
/// | `PUT /applications` | ``ApplicationChange`` |
/// | `… /yahoo/…` | ``YahooControl`` |
/// | `… /google…` | ``GoogleControl`` |
/// | `… /hostile…` | ``HostileControl`` |
///
/// The ``HomePage`` and the ``DocumentationSite`` use the same listener for browsers; all other paths are for programs. Unknown members are refused.
/// Every local program may send commands, but web pages may not.
struct ControlListener: Sendable {
    let state: ControlState
    let clock: SandboxClock
    let yahoo: YahooStandIn
    let x: XStandIn
    let providers: ProviderStandIn
    let sections: [any ControlSection]
    let home: HomePage?
    let documentation: DocumentationSite?
    let forgetUser: @Sendable (SandboxUser) async -> Void

    func answer(_ request: IncomingRequest) async -> Delivery {
        if let answer = await home?.answer(request) { return Delivery(answer) }
        // Refuses browsers: a page that rebinds its name to 127.0.0.1 sends that name as Host, and any other page its
        // Origin.
        let hosts = request.fields("host").map { $0.prefix { $0 != ":" } }
        guard hosts == ["127.0.0.1"] || hosts == ["localhost"], request.fields("origin").isEmpty else {
            return Delivery(.json(.object(["error": .string("Requests of web pages are refused.")]), status: 403))
        }
        if let answer = documentation?.answer(request) { return Delivery(answer) }
        do {
            return Delivery(try await execute(request))
        } catch {
            return Delivery(.json(.object(["error": .string(error.sentence)]), status: 400))
        }
    }

    private func execute(_ request: IncomingRequest) async throws(ControlError) -> Answer {
        switch (request.method, request.path) {
        case ("GET", "/"):
            return Page.message(
                "Sandbox control", "This listener controls the stand-ins. It accepts JSON, and only from this machine.")
        case ("GET", "/style.css"):
            return StyleSheet.answer
        case ("GET", "/favicon.ico"):
            return .noIcon
        case ("GET", "/requests"):
            let since = request.queryParameters?["since"] ?? "0"
            guard let number = Int64(since) else { throw .invalid(member: "since", expected: "a number") }
            return .json(await state.requests(since: number))
        case ("DELETE", "/requests"):
            await state.forgetRequests()
        case ("PUT", "/faults"):
            await state.place(try Fault(try command(request)))
        case ("DELETE", "/faults"):
            await state.removeFaults()
        case ("PUT", "/claims"):
            await yahoo.setDefect(try IDTokenDefect(try command(request)))
        case ("DELETE", "/claims"):
            await yahoo.setDefect(nil)
        case ("POST", "/issue"):
            switch try IssueCommand(try command(request)) {
            case .yahoo(let command): return .json(try await yahoo.issue(command))
            case .xOAuth1(let command): return .json(try await x.issue(command))
            case .xOAuth2(let command): return .json(try await x.issue(command))
            case .provider(let command): return .json(try await providers.issue(command))
            }
        case ("POST", "/clock"):
            var input = try ControlInput(try command(request))
            guard let offset = try input.integer("offset_seconds", in: -1_000_000_000...1_000_000_000) else {
                throw .invalid(member: "offset_seconds", expected: "an integer")
            }
            try input.finish()
            clock.setOffset(offset)
            return .json(.object(["now": .integer(clock.now)]))
        case ("GET", "/applications"):
            return .json(await applications())
        case ("PUT", "/applications"):
            switch try ApplicationChange(try command(request)) {
            case .yahoo(let change): await yahoo.change(change)
            case .x(let change): await x.change(change)
            case .provider(let change):
                await providers.set(
                    redirectURIs: change.redirectURIs, of: change.application, at: change.provider)
            }
        case ("GET", "/users"):
            return .json(.array(SandboxUser.all.map(\.json)))
        case ("POST", "/users/reset"):
            return .json(try await reset(request))
        default:
            for section in sections {
                let answer = try await section.answer(request) { () throws(ControlError) in try command(request) }
                if let answer { return answer }
            }
            return .json(.object(["error": .string("Not found.")]), status: 404)
        }
        return Answer(204)
    }

    private func command(_ request: IncomingRequest) throws(ControlError) -> JSON {
        // A web page can send this type to another origin only after a preflight (Fetch §4.8), which is not answered
        // here.
        guard request.mediaType == "application/json",
            let value = try? JSON.parse(request.body, maximumBytes: 4 << 20, maximumDepth: 64)
        else { throw .notJSON }
        return value
    }

    private func reset(_ request: IncomingRequest) async throws(ControlError) -> JSON {
        var input = try ControlInput(try command(request))
        let user = try input.user()
        try input.finish()
        guard let home, let origin = HomeGuard.origin(request) else {
            await forgetUser(user)
            return .object(["removed": .array([])])
        }
        let removed = await home.reset(user, origin: origin)
        return .object(["removed": .array(removed.map { .string($0) })])
    }

    private func applications() async -> JSON {
        var all: [String: JSON] = [:]
        for application in SandboxApplication.all {
            var registrations = await providers.registrations(of: application.name).mapValues(\.json)
            registrations["yahoo.com"] = await yahoo.registration(of: application.name)?.json ?? .null
            registrations["twitter.com"] = await x.registration(of: application.name)?.json ?? .null
            all[application.name] = .object(registrations)
        }
        return .object(all)
    }
}

/// The commands of the control listener for one stand-in or for the attacker's server.
protocol ControlSection: Sendable {
    /// Returns `nil` if there is no command at this path. `command` reads the body.
    func answer(
        _ request: IncomingRequest, command: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer?
}
