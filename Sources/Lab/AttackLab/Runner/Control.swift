internal import Jansson

/// The good sign-in after each attack: what blocks everything blocks nothing.
struct Control: Sendable {
    let lab: Lab

    /// Why it failed; nil where the server serves.
    func failure() async -> String? {
        let body: JSON = [
            "client_id": .string(lab.application.clientID), "provider": .string(lab.application.provider),
        ]
        await lab.pace?.wait()
        let first = await lab.server.send(.json("/v1/nonce", body), within: .seconds(15)).answer
        if let first { await lab.pace?.heed(first) }
        // At a measured pace its limits are its own affair: it lives.
        if lab.pace != nil, first?.status == 429 { return nil }
        guard let begun = first, begun.status == 200, let nonce = begun["nonce"], let verifier = begun["nonce_verifier"]
        else { return "POST /v1/nonce no longer answers." }
        guard let standIns = lab.standIns else { return nil }
        guard
            let issued = try? await standIns.issue(["provider": "yahoo.com", "user": "bjorn", "nonce": .string(nonce)]),
            let token = issued["id_token"]?.string
        else { return "The stand-ins no longer issue tokens." }
        let request = Request.json(
            "/v1/exchange",
            body.setting(
                ["credential"],
                to: ["type": "id_token", "id_token": .string(token), "nonce": .string(verifier)]))
        let answer = await lab.server.send(request, within: .seconds(15)).answer
        guard answer?.status == 200, answer?["custom_token"] != nil else {
            return "A good sign-in was answered \(answer.map { "\($0.status) \($0["reason"] ?? "")" } ?? "not at all")."
        }
        return nil
    }
}
