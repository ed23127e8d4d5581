import Transport

/// Sends a step's request once more, as somebody would who saw it: every byte of it, and no cookie.
struct Replayer: Sendable {
    /// Marks the request for the stand-ins' witness, which does not write it down.
    static let mark = "sandbox-replay"

    let store: RunStore
    let server: HomeServer

    /// False where there is no such step.
    func replay(_ number: Int, of id: String) async -> Bool {
        guard let run = await store.run(id), let step = run.steps.first(where: { $0.number == number }) else {
            return false
        }
        var request = step.request.outbound
        if step.kind.receiver == .provider { request.header.append(HeaderField(Self.mark, "1")) }
        let outcome = await Conversation.outcome(of: request, by: server.transport)
        await store.add(replay: outcome, to: number, of: id)
        return true
    }
}
