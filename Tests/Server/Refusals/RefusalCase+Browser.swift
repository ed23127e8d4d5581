import Jansson
import Standards

/// Errors of a browser flow at `/par` and `/token`.
extension RefusalCase {
    static let handoffs: [Self] = [
        Self("nobody offers this grant", "unsupported_grant_type") {
            try await $0.redeem("c", ["grant_type": "password"])
        },
        Self("the client may not use this grant", "unauthorized_client", plan: .grants([.tokenExchange])) {
            try await $0.redeem("c")
        },
        Self("the client may not push a request", "unauthorized_client", plan: .grants([.tokenExchange])) {
            try await $0.form("/par", BrowserRequest.parameters)
        },
        Self("the response type is not code", "unsupported_response_type") {
            try await $0.form("/par", BrowserRequest.parameters.changing(["response_type": "token"]))
        },
        Self("a request is pushed without a challenge", "pkce_required") {
            try await $0.form("/par", BrowserRequest.parameters.changing(["code_challenge": nil]))
        },
        Self("a challenge is not 32 octets", "malformed_body") {
            try await $0.form("/par", BrowserRequest.parameters.changing(["code_challenge": "short"]))
        },
        Self("a custom token is wanted for another project", "invalid_target") { server in
            try await server.form("/token", try await server.subjectToken().changing(["audience": "other"]))
        },
        Self("the code_verifier is another", "pkce_mismatch") { server in
            var browser = TestBrowser(server)
            return try await server.redeem(
                try await browser.signIn(), ["code_verifier": String(repeating: "w", count: 43)])
        },
        Self("a handoff code comes without its verifier", "pkce_required") {
            try await $0.redeem("c", ["code_verifier": nil])
        },
        Self("a handoff code is used again", "replayed") { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            _ = try await server.redeem(code)
            return try await server.redeem(code)
        },
        Self("a handoff code is a minute old", "expired") { server in
            var browser = TestBrowser(server)
            let code = try await browser.signIn()
            server.clock.advance(by: .seconds(60))
            return try await server.redeem(code)
        },
        Self("a handoff code was made for another redirect URI", "code_rejected") { server in
            var browser = TestBrowser(server)
            return try await server.redeem(try await browser.signIn(), ["redirect_uri": "com.example.app:/oauth"])
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
        Self("somebody is to act for somebody", "parameter_not_allowed") { server in
            try await server.form("/token", try await server.subjectToken().changing(["actor_token": "t"]))
        },
    ]
}

/// Errors of the device grant (RFC 8628 §3.5).
extension RefusalCase {
    static let devices: [Self] = [
        Self("nobody has typed the code", "authorization_pending") { server in
            try await server.beginDevice().poll(after: 0)
        },
        Self("the person has not given the last word", "authorization_pending") { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            _ = try await browser.verify(device.userCode)
            return try await device.poll()
        },
        Self("the device asks too fast", "slow_down") { server in
            let device = try await server.beginDevice()
            _ = try await device.poll(after: 0)
            return try await device.poll(after: 4)
        },
        Self("the device code is ten minutes old", "expired_token") { server in
            try await server.beginDevice().poll(after: 600)
        },
        Self("the person said no", "access_denied") { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            _ = try await browser.decide("deny", on: try await browser.enter(device.userCode))
            return try await device.poll()
        },
        Self("the device code was used", "replayed") { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server)
            _ = try await browser.decide("approve", on: try await browser.verify(device.userCode))
            _ = try await device.poll()
            return try await device.poll()
        },
        Self("the device code is another client's", "code_rejected") { server in
            try await server.beginDevice().poll(["client_id": "my-app"])
        },
        Self("the client may not sign devices in", "unauthorized_client") { server in
            try await server.form("/device_authorization", ["client_id": "x-only"])
        },
    ]
}
