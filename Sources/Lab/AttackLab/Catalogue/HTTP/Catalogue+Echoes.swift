extension Catalogue {
    static let echoes = Section(.http, .medium, needs: []).attacks(
        .attack(
            "HT-29a", "A marker stands in every member of requests that are refused.",
            oracle: "It comes back nowhere: not in the description, not in a field.", source: "RFC 6819 4.6.7",
            reveals: [.inputEchoed]
        ) { strike in
            let canary = try await strike.canary()
            for body: String in [
                #"{"client_id":"\#(canary)","provider":"yahoo.com"}"#,
                #"{"client_id":"my-app","provider":"\#(canary)"}"#,
                #"{"\#(canary)":1,"client_id":"my-app","provider":"yahoo.com"}"#,
            ] {
                await strike.fire(.json("/v1/nonce", text: body), expecting: .status(400, 401))
            }
            for credential in [
                #"{"type":"\#(canary)"}"#, #"{"type":"id_token","id_token":"\#(canary)","nonce":"\#(canary)"}"#,
                #"{"type":"id_token","\#(canary)":"a"}"#,
            ] {
                await strike.fire(
                    .json(
                        "/v1/exchange",
                        text: #"{"client_id":"my-app","provider":"yahoo.com","credential":\#(credential)}"#),
                    expecting: .status(400))
            }
            for name in ["grant_type", "client_id", "code", "subject_token_type"] {
                await strike.fire(.form("/token", [(name, canary)]), expecting: .status(400, 401))
            }
        },
        .attack(
            "HT-29b", "A marker stands in a body that is no JSON.",
            oracle: "400 malformed_body, and the marker does not come back.", source: "RFC 6819 4.6.7",
            reveals: [.inputEchoed, .crashOnGarbage]
        ) { strike in
            let canary = try await strike.canary()
            await strike.fire(.json("/v1/nonce", text: canary), expecting: .malformed("malformed_body"))
            await strike.fire(
                .json("/v1/exchange", text: #"{"a":"\#(canary)"#), expecting: .malformed("malformed_body"))
        },
        .attack(
            "HT-29c", "A marker stands in paths, queries, methods and fields.",
            oracle: "It comes back nowhere, and is in no log.", source: "CWE-209; CWE-117"
        ) { strike in
            let canary = try await strike.canary()
            await strike.fire(.get("/\(canary)"), expecting: .status(404))
            await strike.fire(Request(canary.uppercased(), "/token"), expecting: .status(400, 405))
            await strike.fire(.get("/token").with("X-Request-Id", canary), expecting: .status(405))
            await strike.fire(.get("/token").with("User-Agent", canary), expecting: .status(405))
            await strike.fire(.get("/nothing").with("Host", canary), expecting: .status(400, 404))
            await strike.fire(
                strike.nonceRequest.with("Origin", "https://\(canary)"), expecting: .status(403))
        },
    )
}
