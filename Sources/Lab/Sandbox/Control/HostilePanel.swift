import Jansson

/// What the control listener has below `/hostile`: how an attack run instructs its own server, and reads what came.
///
/// | call | does |
/// | --- | --- |
/// | `GET /hostile` | `{"origin": "http://127.0.0.1:8085"}` |
/// | `GET /hostile/requests` | ``HostileHost/report``: what reached it, values included |
/// | `DELETE /hostile/requests` | forgets it |
/// | `PUT /hostile/answers` | ``HostileAnswer`` |
/// | `DELETE /hostile/answers` | it answers everything with `{}` again |
struct HostilePanel: PartyPanel {
    let host: HostileHost

    func answer(
        _ request: IncomingRequest, order: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer? {
        switch (request.method, request.path) {
        case ("GET", "/hostile"):
            return .json(.object(["origin": .string(await host.origin)]))
        case ("GET", "/hostile/requests"):
            return .json(await host.report)
        case ("DELETE", "/hostile/requests"):
            await host.forgetRequests()
        case ("PUT", "/hostile/answers"):
            await host.place(try HostileAnswer(try order()))
        case ("DELETE", "/hostile/answers"):
            await host.removeAnswers()
        default:
            return nil
        }
        return Answer(204)
    }
}
