import Accounts
import Exchange
import Fixtures
import Flows
import JOSE
import Providers
import Standards
import Stores
import Support
import Testing
import Transport
import Verification

@Suite("Sessions")
struct SessionTests {
    private let deployment: Deployment

    init() throws {
        deployment = try Deployment()
    }

    @Test("CB-04: A flow ends once", arguments: Way.callbacks)
    func replay(_ way: Way) async throws {
        let flow = try await way.begin(in: deployment)
        _ = try await deployment.finish(flow, way.callback(flow), of: way.provider)
        for code in ["code", "another"] {
            await expectRefusal(Refusal.replayed(.session)) {
                try await deployment.finish(flow, way.callback(flow, code: code), of: way.provider)
            }
        }
        #expect(deployment.peer.requests(to: way.tokenEndpoint).count == 1)
    }

    @Test(
        "CB-04: The code and the nonce of a flow do not sign in without its session, neither here nor at another client",
        arguments: [Way.yahooCallback, .genericCallback], [true, false])
    func codeWithoutSession(_ way: Way, isToLink: Bool) async throws {
        let mallory = isToLink ? try await deployment.user("mallory") : nil
        let flow = try await way.begin(in: deployment, purpose: isToLink ? .link : nil, for: mallory)
        let stored = deployment.store.calls
        let nonce = try #require(flow.parameters["nonce"])
        #expect(nonce.utf8.count <= 128)
        for client in [DeploymentPlan.app, DeploymentPlan.otherApp] {
            await expectRefusal(Refusal.nonceOfFlow) {
                try await deployment.exchange(
                    .authorizationCode(
                        code: Secret("code"), redirectURI: DeploymentPlan.redirectURI,
                        codeVerifier: way == .genericCallback ? Secret(Way.verifier) : nil, nonce: Secret(nonce)),
                    of: way.provider, client: client)
            }
        }
        #expect(deployment.peer.requests(to: way.tokenEndpoint).isEmpty)
        #expect(deployment.store.calls == stored)
    }

    @Test("A flow that failed at the provider has ended, too", arguments: Way.callbacks)
    func failed(_ way: Way) async throws {
        let flow = try await way.begin(in: deployment)
        deployment.peer.script(.post, way.tokenEndpoint, .json(#"{"error":"invalid_grant"}"#, status: 400))
        await expectRefusal(Refusal.codeRejected) {
            try await deployment.finish(flow, way.callback(flow), of: way.provider)
        }
        await expectRefusal(Refusal.replayed(.session)) {
            try await deployment.finish(flow, way.callback(flow), of: way.provider)
        }
    }

    @Test("CB-06: A session is valid for ten minutes", arguments: Way.callbacks)
    func expiry(_ way: Way) async throws {
        for (seconds, isGood) in [(599, true), (600, false), (86400, false)] {
            let deployment = try Deployment()
            let flow = try await way.begin(in: deployment)
            deployment.clock.advance(by: .seconds(seconds))
            if isGood {
                _ = try await deployment.finish(flow, way.callback(flow), of: way.provider)
            } else {
                await expectRefusal(Refusal.sessionExpired) {
                    try await deployment.finish(flow, way.callback(flow), of: way.provider)
                }
                #expect(deployment.store.calls.isEmpty)
            }
        }
    }

    @Test("CB-25: A flow that another client began is none", arguments: Way.callbacks)
    func otherClient(_ way: Way) async throws {
        let flow = try await way.begin(in: deployment)
        await expectRefusal(Refusal.invalidSession) {
            try await deployment.finish(
                flow, way.callback(flow), of: way.provider, client: DeploymentPlan.otherApp)
        }
        _ = try await deployment.finish(flow, way.callback(flow), of: way.provider)
    }

    @Test(
        "CB-14: So is one that was begun at another provider, which never hears of the code", arguments: Way.callbacks)
    func otherProvider(_ way: Way) async throws {
        let flow = try await way.begin(in: deployment)
        for provider in [Yahoo.id, Generic.id, X.id] where provider != way.provider {
            await expectRefusal(Refusal.sessionOfOtherProvider) {
                try await deployment.finish(flow, way.callback(flow), of: provider)
            }
        }
        #expect(deployment.peer.requests(to: way.tokenEndpoint).isEmpty)
        #expect(deployment.store.calls.isEmpty)
    }

    @Test("CB-26: A session with any change is refused")
    func tampered() async throws {
        let flow = try await Way.yahooCallback.begin(in: deployment)
        let text = flow.session.secretText
        var changed = ["", "x", text + "A", text + "=", String(text.dropLast()), " " + text, text + "." + text]
        for offset in stride(from: 0, to: text.utf8.count, by: 7) {
            var octets = Array(text.utf8)
            octets[offset] = octets[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
            changed.append(String(decoding: octets, as: UTF8.self))
        }
        changed.append(String(repeating: "A", count: 8193))
        let nonce = try deployment.flows.direct.issueNonce(client: DeploymentPlan.app, provider: Yahoo.id)
        changed.append(nonce.verifier.secretText)
        for session in changed {
            await expectRefusal(Refusal.invalidSession) {
                try await deployment.exchange(
                    .callback(session: Secret(session), callbackURL: flow.callback(code: "c")), of: Yahoo.id)
            }
        }
        #expect(deployment.store.calls.isEmpty)
        _ = try await deployment.finish(flow, flow.callback(code: "c"), of: Yahoo.id)
    }

    @Test("EX-18: A code that came by a callback is spent for every other way, and the reverse")
    func otherWay() async throws {
        let flow = try await Way.xOAuth2Callback.begin(in: deployment)
        _ = try await deployment.finish(flow, flow.callback(code: "one"), of: X.id)
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await deployment.exchange(Way.xCode.credential(in: deployment, code: "one"), of: X.id)
        }
        _ = try await deployment.exchange(Way.xCode.credential(in: deployment, code: "two"), of: X.id)
        let second = try await Way.xOAuth2Callback.begin(in: deployment)
        await expectRefusal(Refusal.replayed(.authorizationCode)) {
            try await deployment.finish(second, second.callback(code: "two"), of: X.id)
        }
        #expect(deployment.peer.requests(to: X.token).count == 2)
    }

    @Test("CB-27: A redirect from the token endpoint is not followed", arguments: Way.callbacks)
    func redirect(_ way: Way) async throws {
        let flow = try await way.begin(in: deployment)
        deployment.peer.script(
            .post, way.tokenEndpoint, .status(302, header: [HeaderField("Location", "https://evil.example/")]))
        await expectRefusal(ProviderFailure.notTokenEndpoint(status: 302).refusal.spent) {
            try await deployment.finish(flow, way.callback(flow), of: way.provider)
        }
        #expect(deployment.peer.unscripted.isEmpty)
    }
}
