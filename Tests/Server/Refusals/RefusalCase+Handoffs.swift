import Jansson
import OAuth

/// What `/par` and `/token` refuse of a browser flow.
extension RefusalCase {
    static let handoffs: [Self] = [
        Self("nobody offers this grant", "unsupported_grant_type") {
            try await $0.redeem("c", ["grant_type": "password"])
        },
        Self("the client may not use this grant", "unauthorized_client", plan: .grants([.tokenExchange])) {
            try await $0.redeem("c")
        },
        Self("the client may not push a request", "unauthorized_client", plan: .grants([.tokenExchange])) {
            try await $0.form("/par", Asking.parameters)
        },
        Self("the response type is not code", "unsupported_response_type") {
            try await $0.form("/par", Asking.parameters.changing(["response_type": "token"]))
        },
        Self("a request is pushed without a challenge", "pkce_required") {
            try await $0.form("/par", Asking.parameters.changing(["code_challenge": nil]))
        },
        Self("a challenge is not 32 octets", "malformed_body") {
            try await $0.form("/par", Asking.parameters.changing(["code_challenge": "short"]))
        },
        Self("a custom token is wanted for another project", "invalid_target") { street in
            try await street.form("/token", try await street.subjectToken().changing(["audience": "other"]))
        },
        Self("the code_verifier is another", "pkce_mismatch") { street in
            var visitor = Visitor(street)
            return try await street.redeem(
                try await visitor.signIn(), ["code_verifier": String(repeating: "w", count: 43)])
        },
        Self("a handoff code comes without its verifier", "pkce_required") {
            try await $0.redeem("c", ["code_verifier": nil])
        },
        Self("a handoff code is used again", "replayed") { street in
            var visitor = Visitor(street)
            let code = try await visitor.signIn()
            _ = try await street.redeem(code)
            return try await street.redeem(code)
        },
        Self("a handoff code is a minute old", "expired") { street in
            var visitor = Visitor(street)
            let code = try await visitor.signIn()
            street.clock.advance(by: .seconds(60))
            return try await street.redeem(code)
        },
        Self("a handoff code was made for another redirect URI", "code_rejected") { street in
            var visitor = Visitor(street)
            return try await street.redeem(try await visitor.signIn(), ["redirect_uri": "com.example.app:/oauth"])
        },
        Self("a handoff code is nobody's", "code_rejected") { try await $0.redeem("c") },
        Self("a client brings a secret", "unknown_client") {
            try await $0.form("/token", ["client_id": "my-app", "client_secret": "s"])
        },
        Self("a form is no form", "malformed_body") {
            try await $0.post("/token", text: "a=%zz", type: "application/x-www-form-urlencoded")
        },
        Self("a form has JSON in it", "unsupported_media_type") { try await $0.post("/token", Bodies.nonce) },
        Self("a parameter of a form is given twice", "duplicate_parameter") {
            try await $0.post("/token", text: "a=1&a=1", type: "application/x-www-form-urlencoded")
        },
        Self("somebody is to act for somebody", "parameter_not_allowed") { street in
            try await street.form("/token", try await street.subjectToken().changing(["actor_token": "t"]))
        },
    ]
}
