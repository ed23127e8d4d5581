import Foundation
import Jansson
import Testing

import enum Flows.AppCheckRule

@testable import TokenExchangeClient

@Suite("Sign-in by a credential", .serialized, .timeLimit(.minutes(5)))
struct ClientCredentialTests {
    @Test("A code signs in, and its replay is refused as a typed error with Firebase's code")
    func code() async throws {
        try await TestServer.open { server in
            let client = try server.client()
            let credential = try await server.yahooCredential()
            let result = try await client.signIn(with: .yahoo, credential: credential)
            #expect(result.uid == TestServer.alice)
            #expect(try Payload.of(result.tokens.customToken)?["uid"]?.string == TestServer.alice)
            #expect(result.account == nil && !result.isLinked)
            #expect(result.isNewUser)
            #expect(result.provider == .yahoo)
            #expect(result.providerUID == "ALICEWJNWVNQD4GXZ5NGMZUST4")
            #expect(result.audienceProof == "authorization_code")
            #expect(result.profile.name == "Alice Example" && result.profile.email == "alice@example.com")
            #expect(result.profile.isEmailVerified)
            #expect(result.providerTokens == nil && result.providerProfile == nil)

            let error = try await expectError(.replayed, "auth/invalid-credential") {
                try await client.signIn(with: .yahoo, credential: credential)
            }
            #expect(error.status == 400 && error.retry == nil && error.pendingCredential == nil)
            #expect(error.requestID?.isEmpty == false)
            #expect(error.message == "This credential was already used. Sign in at the provider again.")
            #expect(error.localizedDescription == error.message)
        }
    }

    @Test("An ID token signs in with a nonce of the server, and with no other")
    func idToken() async throws {
        try await TestServer.open { server in
            let client = try server.client()
            let nonce = try await client.nonce(for: .yahoo)
            let issued = try await server.standIns.yahoo(nonce: nonce.value)
            try await expectError("nonce_mismatch", "auth/invalid-credential") {
                try await client.signIn(
                    with: .yahoo,
                    credential: .idToken(issued.idToken, nonce: try await client.nonce(for: .yahoo).verifier))
            }
            let result = try await client.signIn(
                with: .yahoo, credential: .idToken(issued.idToken, nonce: nonce.verifier))
            #expect(result.uid == TestServer.alice && result.audienceProof == "id_token_aud")
            try await expectError("unknown_provider", "auth/invalid-provider-id") {
                try await client.nonce(for: Provider("line"))
            }
        }
    }

    @Test("A pair of OAuth 1.0a and an introspected access token sign in, each with a nonce")
    func pairAndAccessToken() async throws {
        try await TestServer.open { server in
            let client = try server.client()
            let pair = try await server.standIns.xTokenPair()
            let nonce = try await client.nonce(for: .twitter).verifier
            let atX = try await client.signIn(
                with: .twitter, credential: .oauth1Token(pair.token, secret: pair.secret, nonce: nonce))
            #expect(atX.audienceProof == "consumer_signature")
            let issued = try await server.standIns.yahoo(nonce: nil)
            let token = Credential.accessToken(
                issued.accessToken, nonce: try await client.nonce(for: "asking.example").verifier)
            #expect(
                try await client.signIn(with: "asking.example", credential: token).audienceProof == "introspection")
            let bare = Credential.accessToken(
                issued.accessToken, nonce: try await client.nonce(for: .yahoo).verifier)
            try await expectError("audience_unverifiable", "auth/invalid-credential") {
                try await client.signIn(with: .yahoo, credential: bare)
            }
        }
    }

    @Test("The tokens and the answer of the provider are returned to clients that may have them")
    func provider() async throws {
        let plan = Plan.with {
            $0.returnsProviderTokens = true
            $0.returnsProviderProfile = true
        }
        try await TestServer.open(plan) { server in
            let result = try await server.client().signIn(
                with: .yahoo, credential: try await server.yahooCredential())
            #expect(result.providerTokens?.accessToken?.isEmpty == false)
            #expect(result.providerTokens?.refreshToken?.isEmpty == false)
            #expect(result.providerTokens?.expiresIn == 3600)
            let profile = try JSONSerialization.jsonObject(with: try #require(result.providerProfile))
            let members = try #require(profile as? [String: Any])
            #expect(members.keys.contains("userinfo"), "\(members)")
        }
    }

    @Test("An anonymous account is created, unless the client may not")
    func anonymous() async throws {
        try await TestServer.open { server in
            let result = try await server.client().signInAnonymously()
            #expect(result.provider == .anonymous && result.isNewUser && result.providerUID == nil)
            #expect(try Payload.of(result.tokens.customToken)?["uid"]?.string == result.uid)
            try await expectError("anonymous_disabled", "auth/admin-restricted-operation") {
                try await server.client("x-only").signInAnonymously()
            }
        }
    }

    @Test("A client with redeem receives Firebase tokens instead of a custom token")
    func redeem() async throws {
        try await TestServer.open(.google(.users) { $0.returnsFirebaseSession = true }) { server in
            let client = try server.client(browser: Human(server: server).browser)
            for result in [
                try await client.signIn(with: .yahoo, credential: try await server.yahooCredential()),
                try await client.signIn(with: .yahoo),
            ] {
                guard case .session(let session) = result.tokens else {
                    Issue.record("A custom token came: \(result)")
                    continue
                }
                #expect(Payload.of(session.idToken)?["sub"]?.string == TestServer.alice)
                #expect(!session.refreshToken.isEmpty && session.expiresIn == 3600)
                try await expectError(.tokenUnavailable, "auth/argument-error") { try result.tokens.customToken }
            }
        }
    }

    @Test("An App Check token is sent with every request")
    func appCheck() async throws {
        try await TestServer.open(.with { $0.appCheck = .required(apps: []) }) { server in
            let token = try await server.standIns.appCheckToken()
            let human = Human(server: server)
            let client = try server.client(browser: human.browser, appCheckToken: token)
            #expect(try await client.signInAnonymously().isNewUser)
            #expect(try await client.signIn(with: .yahoo).uid == TestServer.alice)
            let person = try await server.person(TestServer.alice)
            let known = try server.client(as: person, appCheckToken: token)
            #expect(try await known.account().uid == TestServer.alice)
            try await expectError("app_check_required", "auth/firebase-app-check-token-is-invalid") {
                try await server.client().signInAnonymously()
            }
            try await expectError("app_check_invalid", "auth/firebase-app-check-token-is-invalid") {
                try await server.client(appCheckToken: "a.b.c").signInAnonymously()
            }
        }
    }
}
