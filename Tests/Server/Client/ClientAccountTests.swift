import Foundation
import JOSE
import Jansson
import Testing

@testable import TokenExchangeClient

@Suite("The account of the user", .serialized, .timeLimit(.minutes(5)))
struct ClientAccountTests {
    @Test("The account is shown to its user, and to no other caller")
    func account() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let account = try await server.client(as: alice).account()
            #expect(account.uid == alice.uid && !account.isAnonymous)
            #expect(account.createdAt == Date(timeIntervalSince1970: 1_700_000_000))
            let identity = try #require(account.identities.first)
            #expect(account.identities.count == 1 && identity.provider == .yahoo)
            #expect(identity.providerUID == "ALICEWJNWVNQD4GXZ5NGMZUST4" && identity.email == "alice@example.com")
            #expect(identity.name == "Alice Example" && !identity.isManagedByFirebase)
            #expect(identity.linkedAt == account.createdAt && identity.lastUsedAt != nil)

            let error = try await expectError(.tokenUnavailable, "auth/null-user") {
                try await server.client().account()
            }
            #expect(error.status == nil)
            let forged = Person(server: server, uid: alice.uid, idToken: "a.b.c")
            try await expectError("id_token_invalid", "auth/invalid-user-token") {
                try await server.client(as: forged).account()
            }
        }
    }

    @Test("The error of the closure that returns the ID token is kept")
    func closure() async throws {
        struct SignedOut: Error {}
        try await TestServer.open { server in
            let client = TokenExchangeClient(
                server: try #require(URL(string: server.issuer)), clientID: "my-app",
                idToken: { throw SignedOut() }, http: server.http)
            let error = try await expectError(.tokenUnavailable, "auth/null-user") { try await client.account() }
            #expect(error.underlyingError is SignedOut)
        }
    }

    @Test("An identity is linked by a browser, in a flow that only this account can finish")
    func linkByBrowser() async throws {
        try await TestServer.open { server in
            let (alice, carol) = (try await server.atYahoo(), try await server.atYahoo("carol"))
            let human = Human(server: server, user: "alice")
            let result = try await server.client(as: alice, browser: human.browser).link(with: .twitter)
            #expect(result.account?.identities.map(\.provider) == [.twitter, .yahoo])
            #expect(result.uid == alice.uid && !result.isNewUser)
            #expect(try Payload.of(result.tokens.customToken)?["uid"]?.string == alice.uid)
            let error = try await expectError(.credentialAlreadyInUse, "auth/credential-already-in-use") {
                try await server.client(as: carol, browser: human.browser).link(with: .twitter)
            }
            #expect(error.existingUID == alice.uid)
            let pending = try #require(error.pendingCredential)
            try await expectError(.intentMismatch, "auth/invalid-credential") {
                try await server.client().signIn(with: pending)
            }
        }
    }

    @Test("The pending credential of a conflict signs in as the account that has the identity")
    func pending() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            let error = try await expectError(.credentialAlreadyInUse, "auth/credential-already-in-use") {
                try await server.client(as: alice).link(with: .twitter, credential: try await server.xCredential())
            }
            #expect(error.existingUID == bjorn.uid && error.status == 409)
            let pending = PendingCredential(handle: try #require(error.pendingCredential).handle)
            let result = try await server.client().signIn(with: pending)
            #expect(result.uid == bjorn.uid)
            try await expectError(.replayed, "auth/invalid-credential") {
                try await server.client().signIn(with: pending)
            }
        }
    }

    @Test("Two accounts are merged by the pending credential of a conflict")
    func mergePending() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            let client = try server.client(as: alice)
            let error = try await expectError(.credentialAlreadyInUse, "auth/credential-already-in-use") {
                try await client.link(with: .twitter, credential: try await server.xCredential())
            }
            let pending = try #require(error.pendingCredential)
            let merged = try await client.merge(pending)
            #expect(merged.account.identities.map(\.provider) == [.twitter, .yahoo])
            #expect(merged.mergedUID == bjorn.uid && merged.removedUser == .kept)
            #expect(try Payload.of(merged.tokens.customToken)?["uid"]?.string == alice.uid)
            try await expectError(.replayed, "auth/invalid-credential") { try await client.merge(pending) }
            try await expectError(.accountGone, "auth/user-not-found") { try await server.client(as: bjorn).account() }
        }
    }

    @Test("Two accounts are merged by an ID token of the other one, unless both have the provider")
    func mergeIDToken() async throws {
        try await TestServer.open { server in
            let (alice, bjorn) = (try await server.atYahoo(), try await server.atX())
            let carol = try await server.atYahoo("carol")
            let client = try server.client(as: alice)
            try await expectError(.providerAlreadyLinked, "auth/provider-already-linked") {
                try await client.merge(fromIDToken: carol.idToken)
            }
            #expect(try await client.merge(fromIDToken: bjorn.idToken).mergedUID == bjorn.uid)
        }
    }

    @Test("An identity is unlinked, but not the last one")
    func unlink() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let client = try server.client(as: alice)
            _ = try await client.link(with: .twitter, credential: try await server.xCredential("alice"))
            #expect(try await client.unlink(.yahoo).identities.map(\.provider) == [.twitter])
            try await expectError(.noSuchProvider, "auth/no-such-provider") { try await client.unlink(.yahoo) }
            try await expectError(.lastIdentity, "auth/operation-not-allowed") { try await client.unlink(.twitter) }
        }
    }

    @Test("The user is verified again by a browser and by a credential, and another user is refused")
    func reauthenticate() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let human = Human(server: server)
            let client = try server.client(as: alice, browser: human.browser)
            let fresh: JSON = ["set": ["auth_time": .integer(server.clock.now.seconds)]]
            let byCredential = try await client.reauthenticate(
                with: .yahoo, credential: try await server.yahooCredential(claims: fresh))
            #expect(try Payload.of(byCredential.tokens.customToken)?["claims"]?["reauth_time"] == 1_700_000_000)
            try await server.standIns.spoilNextIDToken(fresh)
            let byBrowser = try await client.reauthenticate(with: .yahoo)
            #expect(try Payload.of(byBrowser.tokens.customToken)?["claims"]?["reauth_time"] == 1_700_000_000)
            try await expectError(.userMismatch, "auth/user-mismatch") {
                try await client.reauthenticate(
                    with: .yahoo, credential: try await server.yahooCredential("bjorn", claims: fresh))
            }
        }
    }

    @Test("An old session has to be verified again before it deletes the account")
    func delete() async throws {
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            let old = try await server.person(alice.uid, ["authenticated_seconds_ago": 3000])
            try await expectError(.requiresRecentLogin, "auth/requires-recent-login") {
                try await server.client(as: old).deleteAccount()
            }
            #expect(try await server.client(as: alice).deleteAccount() == .kept)
            try await expectError(.accountGone, "auth/user-not-found") {
                try await server.client(as: alice).account()
            }
        }
    }

    @Test("The provider's tokens are refreshed for a linked identity of the user only")
    func providerTokens() async throws {
        try await TestServer.open(.with { $0.returnsProviderTokens = true }) { server in
            let alice = try await server.atYahoo()
            let client = try server.client(as: alice)
            func refreshToken(_ user: String) async throws -> String {
                let result = try await client.signIn(
                    with: .yahoo, credential: try await server.yahooCredential(user))
                return try #require(result.providerTokens?.refreshToken)
            }
            let own = try await refreshToken("alice")
            let tokens = try await client.refreshProviderTokens(of: .yahoo, refreshToken: own)
            #expect(tokens.accessToken?.isEmpty == false && tokens.tokenSecret == nil && tokens.expiresIn == 3600)
            let foreign = try await refreshToken("bjorn")
            try await expectError(.userMismatch, "auth/user-mismatch") {
                try await client.refreshProviderTokens(of: .yahoo, refreshToken: foreign)
            }
        }
    }

    @Test("All sessions of the user end, unless Google cannot be called")
    func signOut() async throws {
        for plan in [Plan.google(.directory)] {
            try await TestServer.open(plan) { server in
                let alice = try await server.atYahoo()
                #expect(try await server.client(as: alice).signOutEverywhere())
            }
        }
        try await TestServer.open { server in
            let alice = try await server.atYahoo()
            #expect(try await server.client(as: alice).signOutEverywhere() == false)
            let forged = Person(server: server, uid: alice.uid, idToken: "a.b.c")
            try await expectError("id_token_invalid", "auth/invalid-user-token") {
                try await server.client(as: forged).signOutEverywhere()
            }
        }
    }
}
