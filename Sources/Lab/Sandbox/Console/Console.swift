import Jansson
import Transport

/// The console of the home page: a person builds a request by choosing an operation, sends it, and reads the answer.
///
/// | call | effect |
/// | --- | --- |
/// | `GET /console` | lists the operations; `run` is the session, by default that of the browser, and a new one if it is empty |
/// | `GET /console?operation=POST /v1/nonce` | shows the form with the first example; `example` names another, `body` replaces it |
/// | `GET /console?run=ID&step=N` | shows that request in the form, and its answer |
/// | `POST /console` | sends the request of the form |
struct Console: Sendable {
    static let path = "/console"

    let server: HomeServer
    let store: RunStore

    /// Answers a request of the browser.
    ///
    /// - Parameter origin: The origin of the home page.
    /// - Returns: A page, or the redirect to one.
    /// - Throws: A ``Refusal`` if the system has no random numbers.
    func answer(_ request: IncomingRequest, origin: String) async throws(Refusal) -> Answer {
        guard let description = await description else {
            return Page(title: "Console", content: HomeText.start(server)).answer(status: 503)
        }
        if request.method == "POST" {
            return try await send(request.bodyParameters ?? FormParameters([]), description, origin: origin)
        }
        let query = request.queryParameters ?? FormParameters([])
        let run = await run(query["run"] ?? HomeCookie.console.run(request))
        if let step = query["step"].flatMap({ Int($0) }).flatMap({ number in run?.steps.first { $0.number == number } }
        ),
            let operation = description.operation(of: step.request)
        {
            let fields = ConsoleForm(operation: operation, description: description).fields(
                of: step.request.members, query: step.request.query, bearer: step.request.bearer)
            return ConsolePage(
                description: description, run: run, operation: operation, fields: fields, request: step.request,
                step: step
            ).answer
        }
        guard let name = query["operation"] else {
            return ConsolePage(
                description: description, run: run, operation: nil, fields: [], request: nil, step: nil
            ).answer
        }
        guard let operation = description.operation(named: name) else {
            return Page.message("Not found", "The server has no such operation that answers in JSON.", status: 404)
        }
        let values = ConsoleValues(run, authenticators: await store.authenticators, now: await store.now)
        guard let body = body(of: operation, query, values) else {
            return Page.message("Not JSON", "The parameter body is not a JSON object.", status: 400)
        }
        let form = ConsoleForm(operation: operation, description: description)
        let fields = form.fields(of: body, query: nil, bearer: values.bearer)
        return ConsolePage(
            description: description, run: run, operation: operation, fields: fields,
            request: form.request(
                FormParameters(fields.map { ($0.name, $0.value) }), to: target(of: operation, origin: origin)),
            step: nil
        ).answer
    }

    /// The body that the query names, or an example with values of earlier answers; `nil` if it is not a JSON object.
    private func body(of operation: ConsoleOperation, _ query: FormParameters, _ values: ConsoleValues) -> JSON? {
        if let text = query["body"] {
            guard let body = try? JSON.parse(Array(text.utf8)), body.object != nil else { return nil }
            return body
        }
        let example = operation.examples.first { $0.name == query["example"] } ?? operation.examples.first
        return values.filling(example?.body ?? .object([:]), of: operation)
    }

    private func send(
        _ form: FormParameters, _ description: ConsoleDescription, origin: String
    ) async throws(Refusal) -> Answer {
        guard let operation = form["operation"].flatMap(description.operation(named:)) else {
            return Page.message("Not found", "The server has no such operation that answers in JSON.", status: 404)
        }
        let consoleForm = ConsoleForm(operation: operation, description: description)
        guard let request = consoleForm.request(form, to: target(of: operation, origin: origin)) else {
            return Page.message(
                "Not JSON", "A field that is marked as JSON contains no JSON. Go back and correct it.", status: 400)
        }
        var id = await run(form["run"])?.id
        if let full = id, await store.run(full)?.steps.count == RunStore.maximumSteps { id = nil }
        let run: String
        if let id {
            run = id
        } else {
            run = try await store.begin(.console, with: Scenario.console.provider, origin: origin)
        }
        let client = RunClient(
            run: run, scenario: .console, provider: Scenario.console.provider, origin: origin, server: server,
            store: store)
        _ = await client.send(operation.kind, request)
        let step = await store.run(run)?.steps.last?.number ?? 1
        var answer = Answer.seeOther(Self.location(run: run, step: step))
        answer.header.append(HomeCookie.console.setting(run))
        return answer
    }

    private func target(of operation: ConsoleOperation, origin: String) -> String {
        operation.receiver == .server ? server.publicURL : origin
    }

    /// The address of a sent request and its answer.
    static func location(run: String, step: Int) -> String { "\(path)?run=\(run)&step=\(step)#answer" }

    /// Returns the run if it is one of the console.
    private func run(_ id: String?) async -> Run? {
        guard let id, let run = await store.run(id), run.scenario == .console else { return nil }
        return run
    }

    /// The API description of the server; `nil` if the server does not answer.
    private var description: ConsoleDescription? {
        get async {
            var request = OutboundRequest(.get, server.publicURL + "/openapi.json")
            request.timeout = .seconds(2)
            request.maximumBodyBytes = 1 << 20
            guard let response = try? await server.transport.send(request), response.status == 200,
                let document = try? JSON.parse(response.body, maximumBytes: 1 << 20, maximumDepth: 32)
            else { return nil }
            return ConsoleDescription(document)
        }
    }
}
