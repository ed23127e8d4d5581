import Jansson

extension LibraryFlow {
    struct Nonce {
        let value: String
        let verifier: String
    }

    /// Nil where the run has ended.
    func nonce(_ kind: StepKind) async -> Nonce? {
        let answer = await conversation.success(
            kind,
            .json(
                conversation.server.publicURL + "/v1/nonce",
                .object([
                    "client_id": .string(HomeClient.id), "provider": .string(conversation.scenario.provider),
                ])),
            note:
                "The nonce goes into the token; the nonce_verifier, whose SHA-256 it is, is shown to the server alone.")
        guard let answer else { return nil }
        return Nonce(value: answer["nonce"]?.string ?? "", verifier: answer["nonce_verifier"]?.string ?? "")
    }

    /// Has a stand-in issue without a browser; nil where the run has ended.
    func issue(_ kind: StepKind, _ members: [String: JSON], note: String? = nil) async -> JSON? {
        let order = members.merging(["provider": .string(conversation.scenario.provider)]) { $1 }
        return await conversation.success(kind, .json(conversation.origin + "/issue", .object(order)), note: note)
    }

    func exchange(_ type: String, _ credential: [String: JSON]) -> RecordedRequest {
        .json(
            conversation.server.publicURL + "/v1/exchange",
            .object([
                "client_id": .string(HomeClient.id), "provider": .string(conversation.scenario.provider),
                "credential": .object(credential.merging(["type": .string(type)]) { $1 }),
            ]))
    }
}
