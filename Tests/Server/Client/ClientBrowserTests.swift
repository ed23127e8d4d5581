import Fixtures
import Flows
import Foundation
import Jansson
import SQLiteStores
import Standards
import Stores
import Testing
import Transport

@testable import TokenExchangeClient

@Suite("Sign-in by a browser", .serialized, .timeLimit(.minutes(5)))
struct ClientBrowserTests {
    @Test("A user signs in by the pages of the server, with further scopes and parameters", arguments: [1, 2])
    func success(times: Int) async throws {
        try await TestServer.open { server in
            let human = Human(server: server)
            let browser = Browser(redirectURI: Human.redirectURI) { url in
                let parameters = RedirectParameters(url)
                #expect(parameters["scope"] == "mail-r" && parameters["prompt"] == "login")
                #expect(parameters["client_id"] == "my-app", "A parameter cannot replace those of the flow.")
                return try await human.visit(url)
            }
            for count in 1...times {
                let result = try await server.client(browser: browser).signIn(
                    with: .yahoo, scopes: ["mail-r"], parameters: ["prompt": "login", "client_id": "x-only"])
                #expect(result.uid == TestServer.alice)
                #expect(result.isNewUser == (count == 1))
                #expect(try Payload.of(result.tokens.customToken)?["uid"]?.string == TestServer.alice)
            }
        }
    }

    @Test("A refusal of the user is reported with Firebase's code")
    func denial() async throws {
        try await TestServer.open { server in
            let human = Human(server: server, decision: "deny")
            try await expectError(.accessDenied, "auth/user-cancelled") {
                try await server.client(browser: human.browser).signIn(with: .twitter)
            }
        }
    }

    @Test(
        "A redirect of another flow or another server is refused before its code is sent",
        arguments: [
            ("state", "state_mismatch"), ("iss", "issuer_mismatch"),
        ] as [(String, TokenExchangeError.Reason)])
    func mixUp(parameter: String, reason: TokenExchangeError.Reason) async throws {
        try await TestServer.open { server in
            let human = Human(server: server)
            for replacement in ["https://evil.example", nil] {
                let browser = Browser(redirectURI: Human.redirectURI) { url in
                    let redirect = try await human.visit(url)
                    var components = try #require(URLComponents(url: redirect, resolvingAgainstBaseURL: false))
                    components.queryItems = components.queryItems?.compactMap { item in
                        item.name == parameter ? replacement.map { URLQueryItem(name: parameter, value: $0) } : item
                    }
                    return try #require(components.url)
                }
                let error = try await expectError(reason, "auth/invalid-credential") {
                    try await server.client(browser: browser).signIn(with: .yahoo)
                }
                #expect(error.status == nil)
            }
        }
    }

    @Test("A handoff code works once, and only with the verifier of its flow")
    func replay() async throws {
        try await TestServer.open { server in
            let human = Human(server: server)
            let kept = Kept()
            let first = Browser(redirectURI: Human.redirectURI) { url in
                let redirect = try await human.visit(url)
                await kept.keep(redirect)
                return redirect
            }
            _ = try await server.client(browser: first).signIn(with: .yahoo)
            let code = RedirectParameters(try #require(await kept.url))["code"] ?? ""
            let second = Browser(redirectURI: Human.redirectURI) { url in
                let redirect = try await human.visit(url).absoluteString
                let fresh = RedirectParameters(try #require(URL(string: redirect)))["code"] ?? ""
                return try #require(URL(string: redirect.replacing(fresh, with: code)))
            }
            try await expectError(.replayed, "auth/invalid-credential") {
                try await server.client(browser: second).signIn(with: .yahoo)
            }
        }
    }

    @Test("A conflict at /token carries the pending credential, the address and the providers")
    func conflict() async throws {
        try await TestServer.open(.with { $0.emails = .oneAccountEach }) { server in
            let alice = try await server.atYahoo()
            let browser = Human(server: server, user: "alice").browser
            let error = try await expectError(
                .accountExistsWithDifferentCredential, "auth/account-exists-with-different-credential"
            ) {
                try await server.client(browser: browser).signIn(with: .twitter)
            }
            #expect(error.email == "alice@example.com" && error.providers == [.yahoo])
            let pending = try #require(error.pendingCredential)
            let linked = try await server.client(as: alice).link(pending)
            #expect(linked.account?.identities.map(\.provider) == [.twitter, .yahoo])
            #expect(linked.uid == alice.uid)
        }
    }

    @Test(
        "A conflict that no page can settle is the same error, and one that the user cancels has no pending credential")
    func impossibleConflict() async throws {
        let plan = Plan.with {
            $0.emails = .oneAccountEach
            $0.rules.settlesConflicts = true
        }
        try await TestServer.open(plan) { server in
            var account = StoredAccount(uid: "native", createdAt: server.clock.now)
            account.email = EmailAddress("alice@example.com")
            account.isAdopted = true
            account.hasOtherSignInMethod = true
            account.signInMethods = ["google.com"]
            #expect(try await server.store.add(account) == .added)
            let human = Human(server: server, user: "alice")
            for button in [["provider": ""], ["decision": "continue"]] {
                let browser = Browser(redirectURI: Human.redirectURI) { try await human.visit($0, pressing: button) }
                let error = try await expectError(
                    .accountExistsWithDifferentCredential, "auth/account-exists-with-different-credential"
                ) {
                    try await server.client(browser: browser).signIn(with: .twitter)
                }
                guard button["decision"] != nil else {
                    #expect(error.pendingCredential == nil && error.email == nil && error.providers.isEmpty)
                    continue
                }
                #expect(error.email == "alice@example.com" && error.providers == [Provider("google.com")])
                let pending = try #require(error.pendingCredential)
                let native = try await server.person("native")
                let linked = try await server.client(as: native).link(pending)
                #expect(linked.uid == "native")
            }
        }
    }

    @Test("Without a browser the call fails with Firebase's code, and so does one whose browser fails")
    func noBrowser() async throws {
        struct Broken: Error {}
        try await TestServer.open { server in
            let client = try server.client()
            try await expectError(.browserFailed, "auth/operation-not-supported-in-this-environment") {
                try await client.signIn(with: .yahoo)
            }
            let broken = Browser(redirectURI: Human.redirectURI) { _ in throw Broken() }
            let error = try await expectError(.browserFailed, "auth/operation-not-supported-in-this-environment") {
                try await client.signIn(with: .yahoo, in: broken)
            }
            #expect(error.underlyingError is Broken)
            let closed = Browser(redirectURI: Human.redirectURI) { _ in throw CancellationError() }
            try await expectError(.cancelled, "auth/user-cancelled") {
                try await client.signIn(with: .yahoo, in: closed)
            }
        }
    }
}

/// A URL that a browser has seen.
actor Kept {
    private(set) var url: URL?

    func keep(_ url: URL) { self.url = url }
}
