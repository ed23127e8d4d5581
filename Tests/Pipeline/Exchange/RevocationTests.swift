import Exchange
import Providers
import Standards
import Stores
import Support
import Testing
import Transport

@Suite("Revocation of tokens at a provider")
struct RevocationTests {
    private static let endpoint = Generic.issuer + "/revoke"
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment { $0.generic.endpoints.revocation = Self.endpoint }
    }

    private func revoke(_ answer: ScriptedAnswer) async throws {
        deployment.peer.script(.post, Self.endpoint, answer)
        let revocation = try #require(try await deployment.exchanger.revocation(at: deployment.generic))
        try await deployment.exchanger.revoke(Secret("token"), by: revocation)
    }

    @Test("A token is revoked if the provider says so, with content or without", arguments: [200, 204])
    func success(_ status: Int) async throws {
        try await revoke(.status(status))
        #expect(deployment.peer.requests(to: Self.endpoint).count == 1)
    }

    @Test(
        "Only invalid_client concerns the credentials; every other refusal the endpoint and the kind of token",
        arguments: [
            (401, #"{"error":"invalid_client"}"#, ProviderFailure.refusedClient(.credentials)),
            (401, "{}", .refusedProfile(.revocation, status: 401)),
            (503, "{}", .unavailable(retryAfter: nil)),
        ])
    func refusal(_ status: Int, _ body: String, _ failure: ProviderFailure) async throws {
        await expectRefusal(failure.refusal.unspent) { try await revoke(.json(body, status: status)) }
        let advice = ProviderFailure.refusedProfile(.revocation, status: 400).advice
        #expect(advice?.hasPrefix("Compare endpoints.revocation ") == true)
        #expect(advice?.contains("for which clients and tokens it is") == true)
    }

    @Test("The revocation of tokens that are dropped does not become the call that the log names")
    func lastCall() async throws {
        deployment.peer.script(.post, Self.endpoint, .status(200))
        let time = deployment.clock.source
        let exchanger = Exchanger(
            transport: deployment.peer.transport.notingLastCall { 0 },
            singleUse: SingleUse(store: deployment.store, time: time), time: time, random: deployment.random.source)
        let call = LastCall()
        await LastCall.$current.withValue(call) {
            await exchanger.discard([Secret("a"), Secret("b")], at: deployment.generic)
        }
        #expect(call.text == nil && deployment.peer.requests(to: Self.endpoint).count == 2)
    }
}
