import Accounts
import Flows
import JOSE
import Jansson
import Minting
import OpenSSL
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Questions to hooks")
struct HookQuestionTests {
    @Test("A question is one POST of a JWT that the service account signed for this URL and for 60 seconds")
    func form() async throws {
        let deployment = try Deployment.hooked([.beforeSignIn])
        _ = try await deployment.signIn(.yahooIDToken)
        let requests = deployment.peer.requests(to: HookPoint.beforeSignIn.url)
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.method == .post)
        #expect(request.header == [HeaderField("Content-Type", "application/jwt")])
        #expect(request.timeout == .milliseconds(1500))
        let token = try MintedToken(Secret(String(decoding: request.body, as: UTF8.self)))
        #expect(
            token.header
                == .object([
                    "alg": .string("RS256"), "kid": .string("account-key-1"),
                    "typ": .string("token-exchange-hook+jwt"),
                ]))
        #expect(token.isSigned(by: try TestKeys.shared.account.publicKey))
        let now = deployment.clock.now.seconds
        var payload = try #require(token.payload.object)
        #expect(payload.removeValue(forKey: "jti")?.string?.utf8.count == 43)
        #expect(payload.removeValue(forKey: "event") != nil)
        #expect(
            payload == [
                "iss": .string(Deployment.accountEmail), "sub": .string(Deployment.accountEmail),
                "aud": .string(HookPoint.beforeSignIn.url), "iat": .integer(now), "exp": .integer(now + 60),
            ])
    }

    @Test("Two questions never have the same jti")
    func identifiers() async throws {
        let deployment = try Deployment.hooked()
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.signIn(.yahooIDToken)
        let ids = try deployment.peer.requests.filter { $0.url.hasPrefix("https://hooks.example/") }
            .map { try MintedToken(Secret(String(decoding: $0.body, as: UTF8.self))).payload["jti"]?.string }
        #expect(ids.count == 3 && Set(ids).count == 3)
    }

    @Test("A first sign-in asks before the account, which has no uid yet, and before the token")
    func firstSignIn() async throws {
        let deployment = try Deployment.hooked()
        let origin = RequestOrigin(address: "192.0.2.7", requestID: "request-1")
        let credential = try deployment.yahooIDToken()
        _ = try await RequestOrigin.$current.withValue(origin) {
            try await deployment.exchange(credential, of: Yahoo.id)
        }
        let events = try deployment.events()
        let common: [String: JSON] = [
            "client_id": .string("app"), "is_new_user": .bool(true), "provider": .string("yahoo.com"),
            "provider_uid": .string(Yahoo.subject), "audience_proof": .string("id_token_aud"),
            "profile": try #require(events.first?["profile"]), "address": .string("192.0.2.7"),
            "request_id": .string("request-1"),
        ]
        #expect(common["profile"]?["email"]?.string == "ann@example.org")
        #expect(common["profile"]?["email_verified"] == .bool(true))
        #expect(
            events == [
                .object(common.merging(["type": .string("before_create")]) { $1 }),
                .object(
                    common.merging([
                        "type": .string("before_sign_in"), "uid": .string(Person.yahooUID.text),
                    ]) { $1 }),
            ])
    }

    @Test("A later sign-in asks only before the token, and the user is not new", arguments: Way.allCases)
    func laterSignIn(_ way: Way) async throws {
        let deployment = try Deployment.hooked()
        _ = try await deployment.signIn(way)
        #expect(try deployment.points() == ["before_create", "before_sign_in"])
        _ = try await deployment.signIn(way)
        #expect(try deployment.points() == ["before_create", "before_sign_in", "before_sign_in"])
        let last = try #require(try deployment.events().last)
        #expect(last["is_new_user"] == .bool(false))
        #expect(last["uid"]?.string == way.uid.text)
        #expect(last["audience_proof"]?.string == way.proof.rawValue)
    }

    @Test("An anonymous account has no identity that a hook could learn")
    func anonymous() async throws {
        let deployment = try Deployment.hooked()
        let uid = try await deployment.flows.direct.signInAnonymously(client: DeploymentPlan.app).account.uid
        let common: [String: JSON] = [
            "client_id": .string("app"), "is_new_user": .bool(true), "provider": .string("anonymous"),
        ]
        #expect(
            try deployment.events() == [
                .object(common.merging(["type": .string("before_create")]) { $1 }),
                .object(common.merging(["type": .string("before_sign_in"), "uid": .string(uid.text)]) { $1 }),
            ])
    }

    @Test("A link asks with the uid of the caller, and then like a sign-in, as a reauthentication does")
    func linkAndReauthentication() async throws {
        let deployment = try Deployment.hooked([.beforeLink, .beforeSignIn])
        _ = try await deployment.signIn(.xPair)
        _ = try await deployment.link(.yahooIDToken, to: Person.xUID)
        let user = try await deployment.user(Person.xUID)
        _ = try await deployment.flows.accounts.reauthenticate(
            user, deployment.proof(.yahooCode, purpose: .reauthenticate, of: user))
        #expect(
            try deployment.points() == ["before_sign_in", "before_link", "before_sign_in", "before_sign_in"])
        let events = try deployment.events().dropFirst()
        #expect(events.allSatisfy { $0["uid"]?.string == Person.xUID.text && $0["is_new_user"] == .bool(false) })
        #expect(events.allSatisfy { $0["provider_uid"]?.string == Yahoo.subject && $0["merged_uid"] == nil })
    }

    @Test("A merge by an ID token asks with both uids, before anything is changed")
    func merge() async throws {
        let deployment = try Deployment.hooked([.beforeLink])
        try await deployment.makeTwoAccounts()
        let bearer = try deployment.bearer(Person.xUID)
        deployment.script(.beforeLink, #"{"deny": {}}"#)
        await expectRefusal(Refusal.blockedByHook(message: nil, by: .beforeLink)) {
            try await deployment.merge(bearer)
        }
        try await deployment.expectTwoAccounts()
        #expect(
            try deployment.events() == [
                .object([
                    "type": .string("before_link"), "client_id": .string("app"), "is_new_user": .bool(false),
                    "uid": .string(Person.yahooUID.text), "merged_uid": .string(Person.xUID.text),
                ])
            ])
    }

    @Test("A merge by a pending credential asks with the identity that it stands for")
    func pendingMerge() async throws {
        let deployment = try Deployment.hooked([.beforeLink])
        try await deployment.makeTwoAccounts()
        let pending = try await deployment.linkConflict(.xPair, to: Person.yahooUID).pendingCredential
        _ = try await deployment.flows.accounts.merge(
            deployment.user(Person.yahooUID),
            MergeRequest(client: DeploymentPlan.app, proof: .pendingCredential(pending)))
        let event = try #require(try deployment.events().last)
        #expect(event["uid"]?.string == Person.yahooUID.text)
        #expect(event["merged_uid"]?.string == Person.xUID.text)
        #expect(event["provider"]?.string == "twitter.com")
        #expect(event["provider_uid"]?.string == X.userID)
    }

    @Test("A conflict about an address asks no hook")
    func conflict() async throws {
        let deployment = try Deployment.hooked { $0.emails = .oneAccountEach }
        _ = try await deployment.signIn(.yahooIDToken)
        let points = try deployment.points()
        _ = try await deployment.emailConflict()
        #expect(try deployment.points() == points)
    }

    @Test("Without hooks nothing is asked")
    func none() async throws {
        let deployment = try Deployment.hooked([])
        _ = try await deployment.signIn(.yahooIDToken)
        _ = try await deployment.link(.xPair, to: Person.yahooUID)
        #expect(try deployment.events().isEmpty)
    }
}
