import Fixtures
import Flows
import SecondFactors
import Standards
import Stores
import Support
import Testing

@Suite("Seal keys")
struct SealKeyTests {
    private static let old = [UInt8](repeating: 1, count: 32)
    private static let new = [UInt8](repeating: 2, count: 32)

    /// Whether a flow and a nonce of the one deployment are good in the other.
    private func opens(sealedUnder sealing: [[UInt8]], openedUnder opening: [[UInt8]]) async throws -> Bool {
        let before = try Deployment { $0.sealKeys = sealing }
        let after = try Deployment { $0.sealKeys = opening }
        let flow = try await Way.xOAuth2Callback.begin(in: before)
        let nonce = try before.flows.direct.issueNonce(client: DeploymentPlan.app, provider: X.id)
        after.scriptX()
        let byFlow = try? await after.finish(flow, flow.callback(code: "c"), of: X.id)
        let byNonce = try? await after.exchange(.oauth1Token(X.pair, nonce: nonce.verifier), of: X.id)
        #expect((byFlow == nil) == (byNonce == nil))
        return byFlow != nil
    }

    @Test("A value that was sealed before a restart opens after it")
    func restart() async throws {
        #expect(try await opens(sealedUnder: [Self.old], openedUnder: [Self.old]))
    }

    @Test("A value that was sealed with the old key opens while that key is configured")
    func rotation() async throws {
        #expect(try await opens(sealedUnder: [Self.old], openedUnder: [Self.new, Self.old]))
    }

    @Test("The first key seals")
    func firstSeals() async throws {
        #expect(try await opens(sealedUnder: [Self.new, Self.old], openedUnder: [Self.new]))
        #expect(try await !opens(sealedUnder: [Self.new, Self.old], openedUnder: [Self.old]))
    }

    @Test("Under another key nothing opens")
    func otherKey() async throws {
        #expect(try await !opens(sealedUnder: [Self.old], openedUnder: [Self.new]))
    }

    private func expect(_ refusal: Refusal?, names value: String, under list: String) {
        let advice = (refusal?.cause as? any AdvisingCause)?.advice
        #expect(refusal?.finding?.hasPrefix("no key of \(list) opens \(value): ") == true)
        #expect(refusal?.finding?.contains("another client, browser or endpoint") == (list == "seal_keys"))
        #expect(advice?.hasPrefix("If \(list) was changed, add the earlier key behind the new one.") == true)
    }

    @Test("The operator reads of a value that no seal key opens to add the earlier key")
    func adviceOfSealKeys() async throws {
        let before = try Deployment { $0.sealKeys = [Self.old] }
        let after = try Deployment { $0.sealKeys = [Self.new] }
        let flow = try await Way.xOAuth2Callback.begin(in: before)
        let byFlow = await refusal { try await after.finish(flow, flow.callback(code: "c"), of: X.id) }
        expect(byFlow, names: "the session", under: "seal_keys")
        let nonce = try before.flows.direct.issueNonce(client: DeploymentPlan.app, provider: X.id)
        let byNonce = await refusal { try await after.exchange(.oauth1Token(X.pair, nonce: nonce.verifier), of: X.id) }
        expect(byNonce, names: "the nonce_verifier", under: "seal_keys")
        let pushed = try await before.flows.browser.push(Wish.parameters())
        let byPush = await failure {
            try await after.flows.browser.authorize(
                Parameters([
                    ("client_id", DeploymentPlan.app.text), ("request_uri", pushed.requestURI.secretText),
                ]))
        }
        expect(byPush?.error, names: "the request_uri", under: "seal_keys")
        let form = try before.flows.device.deviceForm(browser: nil)
        let byForm = await refusal {
            try after.flows.device.checkCodeForm(form.field, browser: form.browser.value)
        }
        expect(byForm, names: "the form, or the cookie of its browser", under: "seal_keys")
    }

    @Test("So it is for a stored value, also for the secret of a second factor, whose code is called wrong")
    func adviceOfStoreKeys() async throws {
        let deployment = try Deployment { $0.storeKeys = [Self.old] }
        let code = try await deployment.handoffCode()
        _ = try await deployment.signIn(.xPair)
        let pending = try await deployment.linkConflict(.xPair, to: "native").pendingCredential
        let later = try deployment.reloaded(storeKeys: [Self.new])
        let byCode = await refusal { try await deployment.redeem(code, in: later) }
        expect(byCode, names: "the identity of the code", under: "store_keys")
        let byPending = await refusal {
            try await later.direct.exchange(
                ExchangeRequest(client: DeploymentPlan.app, provider: X.id, credential: .pending(pending)))
        }
        expect(byPending, names: "the identity of the pending_credential", under: "store_keys")
        let authenticator = try await deployment.enroll(Person.xUID)
        let factors = SecondFactors(
            store: deployment.store, seal: StoreSeal(keys: [try #require(StoreKey(Self.new))]), isPerTenant: false,
            time: deployment.clock.source, random: deployment.random.source)
        let typed = try #require(FactorCode(typed: authenticator.code()))
        let byFactor = await refusal {
            try await factors.prove(typed, of: FactorHolder(uid: Person.xUID), handle: nil)
        }
        #expect(byFactor?.reason == .secondFactorInvalid)
        expect(byFactor, names: "the secret of a second factor", under: "store_keys")
        let wrong = try #require(FactorCode(typed: "AAAA-AAAA-AAAA-AAAA"))
        let byRecoveryCode = await refusal {
            try await factors.prove(wrong, of: FactorHolder(uid: Person.xUID), handle: nil)
        }
        #expect(byRecoveryCode?.reason == .secondFactorInvalid)
        #expect(byRecoveryCode?.finding == Refusal.invalidCode.finding)
    }

    /// Whether a handoff code and a pending credential of the one configuration are good in the other.
    private func opensStored(sealedUnder sealing: [[UInt8]], openedUnder opening: [[UInt8]]) async throws -> Bool {
        let deployment = try Deployment { $0.storeKeys = sealing }
        let code = try await deployment.handoffCode()
        _ = try await deployment.signIn(.xPair)
        let pending = try await deployment.linkConflict(.xPair, to: "native").pendingCredential
        let later = try deployment.reloaded(storeKeys: opening)
        let byCode = try? await deployment.redeem(code, in: later)
        let byPending = try? await later.direct.exchange(
            ExchangeRequest(client: DeploymentPlan.app, provider: X.id, credential: .pending(pending)))
        #expect((byCode == nil) == (byPending == nil))
        return byCode != nil
    }

    @Test("A stored value opens while its store key is configured, and the first key seals")
    func storeKeys() async throws {
        #expect(try await opensStored(sealedUnder: [Self.old], openedUnder: [Self.new, Self.old]))
        #expect(try await opensStored(sealedUnder: [Self.new, Self.old], openedUnder: [Self.new]))
        #expect(try await !opensStored(sealedUnder: [Self.new, Self.old], openedUnder: [Self.old]))
    }

    @Test("A key has 32 octets", arguments: [(0, false), (31, false), (32, true), (33, false)])
    func length(_ count: Int, _ isKey: Bool) {
        #expect((SealKey([UInt8](repeating: 3, count: count)) != nil) == isKey)
        #expect((StoreKey([UInt8](repeating: 3, count: count)) != nil) == isKey)
    }

    @Test("A fingerprint tells keys apart, those of both lists too, and is 12 characters of base64url")
    func fingerprints() throws {
        let seal = Seal(keys: [try #require(SealKey(Self.old)), try #require(SealKey(Self.new))])
        let store = StoreSeal(keys: [try #require(StoreKey(Self.old))])
        let found = try seal.fingerprints() + store.fingerprints()
        #expect(Set(found).count == 3 && found.allSatisfy { $0.utf8.count == 12 && !$0.contains(" ") })
        #expect(try Seal(keys: [try #require(SealKey(Self.new))]).fingerprints() == [found[1]])
    }

    @Test("A key shows itself in no text")
    func elided() throws {
        let key = try #require(SealKey([UInt8](repeating: 211, count: 32)))
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped, "\([key])", "\(Mirror(reflecting: key).children)"] {
            #expect(!text.contains("211"))
        }
        #expect("\(key)" == "[secret elided]")
    }
}
