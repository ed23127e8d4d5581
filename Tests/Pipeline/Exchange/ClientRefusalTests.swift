import Exchange
import Flows
import Providers
import Standards
internal import Stores
import Support
import Testing
import Transport

/// X's own error codes for the registration, for a person, and for a code.
@Suite("Refusals of this server's registration")
struct ClientRefusalTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
        deployment.scriptX()
    }

    private static func body(_ code: Int) -> String { #"{"errors":[{"code":\#(code),"message":"x"}]}"# }

    @Test(
        "A refused request token concerns the registration, with the reason of X's error code",
        arguments: [
            (401, 32, ClientRefusal.credentials), (401, 135, .clock), (403, 415, .callbackNotApproved),
            (403, 416, .suspended), (401, 416, .suspended), (403, 453, .accessTier), (402, 0, .credit),
            (403, 0, .credentials),
        ])
    func temporary(_ status: Int, _ code: Int, _ refusal: ClientRefusal) async throws {
        deployment.peer.script(.post, X.requestToken, .json(Self.body(code), status: status))
        await expectRefusal(ProviderFailure.refusedClient(refusal).refusal.unspent) {
            try await deployment.exchanger.temporaryCredentials(
                callback: "https://app.example/cb", with: deployment.xOAuth1, of: deployment.x)
        }
    }

    private func redeem(_ token: String, _ status: Int, _ code: Int) async throws {
        deployment.peer.script(.post, X.accessToken, .json(Self.body(code), status: status))
        _ = try await deployment.exchanger.exchange(
            verifier: Secret("7588892"),
            for: TemporaryCredentials(identifier: Secret(token), sharedSecret: Secret("secret")),
            with: deployment.xOAuth1, of: deployment.x)
    }

    @Test("A refused verifier concerns the person, the registration or neither, as X's error code says")
    func accessToken() async {
        await expectRefusal(ProviderFailure.accountDisabled.refusal.spent) {
            try await redeem("first", 403, 64)
        }
        await expectRefusal(ProviderFailure.refusedClient(.suspended).refusal.spent) {
            try await redeem("second", 401, 416)
        }
        await expectRefusal(Refusal.codeRejected) {
            try await redeem("third", 401, 32)
        }
        await expectRefusal(ProviderFailure.accountDisabled.refusal.spent) {
            try await redeem("fourth", 403, 326)
        }
    }

    @Test("A status that does not concern the verifier or the code does not reject it", arguments: [408, 425])
    func passing(_ status: Int) async throws {
        let failure = ProviderFailure.failed(status: status).refusal.spent
        await #expect(throws: failure) { try await redeem("token", status, 0) }
        try await code(status, "{}", failure)
    }

    @Test(
        "A refused code of OAuth 2.0 concerns the person, the registration or neither, as X's error code says",
        arguments: [
            (402, "{}", ProviderFailure.refusedClient(.credit).refusal.spent),
            (
                403, #"{"type":"https://api.x.com/2/problems/client-forbidden"}"#,
                ProviderFailure.refusedClient(.accessTier).refusal.spent
            ), (400, #"{"type":"about:blank"}"#, ProviderFailure.refusedWithoutCode(status: 400).refusal.spent),
            (403, "{}", ProviderFailure.refusedWithoutCode(status: 403).refusal.spent),
            (400, #"{"error":"invalid_request"}"#, Refusal.codeRejected),
        ])
    func code(_ status: Int, _ body: String, _ error: Refusal) async throws {
        deployment.peer.script(.post, X.token, .json(body, status: status))
        await #expect(throws: error) {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.xOAuth2, of: deployment.x)
        }
    }

    @Test("The error codes of one provider have no meaning at another")
    func otherProvider() async throws {
        deployment.peer.script(.post, Yahoo.token, .json(Self.body(64), status: 403))
        await expectRefusal(ProviderFailure.refusedWithoutCode(status: 403).refusal.spent) {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo)
        }
    }

    @Test("Each refusal has advice for the operator")
    func advice() {
        let advice = ClientRefusal.allCases.map(\.advice)
        #expect(Set(advice).count == ClientRefusal.allCases.count)
        #expect(advice.allSatisfy { $0.hasSuffix(".") && $0.utf8.allSatisfy { (0x20...0x7E).contains($0) } })
    }

    @Test("A code is neither sent nor spent while the keys for its ID token cannot be fetched")
    func keys() async throws {
        let deployment = try Deployment()
        deployment.peer.script(.get, Yahoo.keys, .status(500))
        try deployment.scriptYahoo(.yahoo(nonce: "nonce", at: deployment.clock.now))
        func exchange() async throws -> ProviderTokens {
            try await deployment.exchanger.exchange(
                AuthorizationGrant(code: Secret("code"), redirectURI: "https://app.example/cb", codeVerifier: nil),
                with: deployment.openIDConnect(of: deployment.yahoo), of: deployment.yahoo)
        }
        await expectRefusal(ProviderFailure.document(.status(500)).refusal.unspent) {
            try await exchange()
        }
        #expect(deployment.peer.requests(to: Yahoo.token).isEmpty)
        #expect(deployment.store.calls.isEmpty)
        deployment.peer.script(.get, Yahoo.keys, .json(try TestKeys.shared.keySet()))
        deployment.clock.advance(by: .seconds(31))
        #expect(try await exchange().idToken != nil)
    }
}
