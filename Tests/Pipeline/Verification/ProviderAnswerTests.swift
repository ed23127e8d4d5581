import Exchange
import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("The provider's own answer about a person")
struct ProviderAnswerTests {
    private let proof: Proof

    init() throws {
        proof = try Proof()
        proof.deployment.scriptX()
    }

    private func script(userInfo members: String) {
        proof.deployment.peer.script(.get, Yahoo.userInfo, .json(Self.person(members)))
    }

    private static func person(_ members: String) -> String { #"{"sub":"\#(Yahoo.subject)",\#(members)}"# }

    /// Redeems a code of Yahoo; the script contains the response of the userinfo endpoint.
    private func redeem(_ change: (inout IDTokenBuilder) -> Void = { _ in }) async throws -> VerifiedIdentity {
        var token = proof.token
        change(&token)
        proof.deployment.peer.script(
            .post, Yahoo.token, .json(try Deployment.tokens(token, accessToken: Yahoo.accessToken)))
        return try await proof.redeemAsScripted(nonces: [Proof.nonce])
    }

    private func whole(_ identity: VerifiedIdentity) throws -> JSON {
        guard case .whole(let profile)? = identity.returnedProfile else {
            throw Missing()
        }
        return profile
    }

    private struct Missing: Error {}

    @Test("It contains the userinfo and the claims of the ID token, with members that no profile has")
    func openIDConnect() async throws {
        let members = #""zoneinfo":"Europe/Oslo","address":{"country":"NO"}"#
        script(userInfo: members)
        let profile = try whole(try await redeem { $0.claims["birthdate"] = .string("1990-01-01") })
        #expect(try profile["userinfo"] == JSON.parse(Array(Self.person(members).utf8)))
        #expect(profile["id_token"]?["sub"]?.string == Yahoo.subject)
        #expect(profile["id_token"]?["birthdate"]?.string == "1990-01-01")
        #expect(profile.object?.keys.sorted() == ["id_token", "userinfo"])
    }

    @Test("Without a call to the userinfo endpoint it contains only the claims")
    func onlyIDToken() async throws {
        #expect(try whole(try await proof.verify(proof.token)).object?.keys.sorted() == ["id_token"])
    }

    @Test("X: it contains the data of users/me, or the response of verify_credentials")
    func x() async throws {
        let deployment = proof.deployment
        let pair = try whole(try await deployment.xIdentity())
        #expect(pair.object?.keys.sorted() == ["userinfo"])
        #expect(pair["userinfo"]?["id_str"]?.string == X.userID)
        let oauth2 = try deployment.xOAuth2
        let tokens = try await deployment.exchanger.exchange(
            AuthorizationGrant(code: Secret("code"), redirectURI: DeploymentPlan.redirectURI, codeVerifier: nil),
            with: oauth2, of: deployment.x)
        let me = try whole(try await deployment.verifier.verify(tokens, with: oauth2, of: deployment.x))
        #expect(me.object?.keys.sorted() == ["userinfo"])
        #expect(me["userinfo"]?["id"]?.string == X.userID)
        #expect(me["userinfo"]?["username"]?.string == "XDevelopers")
    }

    @Test("An OAuth 1.0a flow contains the response of the endpoint that was called last")
    func fallback() async throws {
        proof.deployment.peer.script(.get, X.verifyCredentials, .status(403))
        let tokens = try await proof.deployment.exchanger.exchange(
            verifier: Secret("7588892"),
            for: TemporaryCredentials(identifier: Secret("request-token"), sharedSecret: Secret("request-secret")),
            with: proof.deployment.xOAuth1, of: proof.deployment.x)
        let identity = try await proof.deployment.verifier.verify(
            tokens, with: proof.deployment.xOAuth1, of: proof.deployment.x)
        #expect(identity.returnedProfile == nil)
        let profile = try whole(try await proof.deployment.verifier.completed(identity))
        #expect(profile["userinfo"]?["username"]?.string == "XDevelopers")
    }

    @Test("Neither a token that the provider echoes nor the nonce is in it, at any depth")
    func credentials() async throws {
        let echoes = #""\#(Yahoo.accessToken)",{"refresh_token":"x","echo":"refresh-token"}"#
        script(
            userInfo: #""access_token":"x","echo":"\#(Yahoo.accessToken)","kept":"value","list":["kept",\#(echoes)]"#)
        let profile = try whole(try await redeem())
        let remaining = Self.person(#""kept":"value","list":["kept",{}]"#)
        #expect(try profile["userinfo"] == JSON.parse(Array(remaining.utf8)))
        #expect(profile["id_token"]?["iss"] != nil)
        #expect(profile["id_token"]?["nonce"] == nil)
    }

    @Test("It has at most 16 KiB", arguments: [(0, false), (1, true)])
    func limit(excess: Int, isOmitted: Bool) async throws {
        script(userInfo: #""text":"""#)
        let empty = try whole(try await redeem()).serialized().count
        let other = try ProviderAnswerTests()
        let text = String(repeating: "a", count: 16 * 1024 - empty + excess)
        other.script(userInfo: #""text":"\#(text)""#)
        let identity = try await other.redeem()
        if isOmitted {
            #expect(identity.returnedProfile == .tooLong)
        } else {
            #expect(try other.whole(identity).serialized().count == 16 * 1024)
        }
    }
}
