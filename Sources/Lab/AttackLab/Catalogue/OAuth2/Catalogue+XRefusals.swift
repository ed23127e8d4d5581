internal import Jansson

extension Catalogue {
    /// X refuses a person for good, or the operator.
    static let xRefusals: [Attack] = [
        Attack(
            "X2-17", .oauth2, .high, "A person whom X has suspended or locked, or who is gone there, signs in.",
            oracle: "403 provider_account_disabled: it is no outage, and no reason to try again.",
            source: "X documentation of codes 50, 63, 64 and 326", needs: [.standIns, .oauth1]
        ) { strike in
            let rows: [(status: Int64, code: Int64)] = [(403, 63), (403, 64), (403, 326), (404, 50)]
            for (status, code) in rows {
                let requests = [
                    strike.exchange(try await strike.xCode()),
                    try await strike.exchange(fresh: try await strike.pair()),
                ]
                let body = "{\"errors\":[{\"code\":\(code),\"message\":\"Refused.\"}]}"
                for target: JSON in ["x.users_me", "x.verify_credentials"] {
                    try await strike.standIns.fault([
                        "target": target, "status": .integer(status), "body": .string(body),
                    ])
                }
                for request in requests {
                    let reply = await strike.fire(request, expecting: .denied("provider_account_disabled"))
                    await strike.expect(
                        reply.answer?["code"] == "auth/user-disabled" && reply.answer?["retry"] == nil, .wrongAnswer,
                        "The application is told \(reply.answer?["code"] ?? "nothing").")
                }
                try await strike.standIns.reset()
            }
        },
        Attack(
            "UP-21", .provider, .high, "The provider refuses the operator's own credentials at its token endpoint.",
            oracle: "502 provider_refuses_us without retry: the operator has to act, the application cannot.",
            source: "RFC 6749 5.2", needs: [.standIns]
        ) { strike in
            let rows: [(JSON, @Sendable (Strike) async throws -> IssuedCode)] = [
                ("yahoo.token", { try await $0.yahooCode() }), ("x.oauth2_token", { try await $0.xCode() }),
            ]
            for (target, code) in rows {
                for (status, error) in [(401, "invalid_client"), (400, "unauthorized_client")] as [(Int64, String)] {
                    let request = strike.exchange(try await code(strike))
                    try await strike.standIns.fault([
                        "target": target, "times": 1, "status": .integer(status),
                        "body": .string("{\"error\":\"\(error)\"}"),
                    ])
                    let reply = await strike.fire(request, expecting: .unusable("provider_refuses_us"))
                    await strike.expect(
                        reply.answer?["retry"] == nil, .wrongAnswer, "The application is told to send it again.")
                }
            }
        },
    ]
}
