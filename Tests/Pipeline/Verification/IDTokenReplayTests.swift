import JOSE
import Jansson
import Providers
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("Replay of ID tokens")
struct IDTokenReplayTests {
    @Test("IDT-39: A token is accepted once, a second later and at the end of its time")
    func replay() async throws {
        let proof = try Proof { $0.yahoo.maximumAge = .seconds(3600) }
        let token = try proof.token.compact()
        _ = try await proof.verify(token)
        for seconds in [1, 59, 3539] {
            proof.deployment.clock.advance(by: .seconds(seconds))
            await expectRefusal(Refusal.replayed(.idToken)) {
                try await proof.verify(token)
            }
        }
    }

    @Test("IDT-45: The record is kept beyond the last second in which the token is accepted")
    func sweep() async throws {
        let proof = try Proof { $0.yahoo.maximumAge = .seconds(3600) }
        let token = try proof.token.compact()
        _ = try await proof.verify(token)
        // exp and the skew are 3660 seconds away.
        proof.deployment.clock.advance(by: .seconds(3659))
        _ = try await proof.deployment.store.sweep(expiredBefore: proof.deployment.clock.now, atMost: 10)
        await expectRefusal(Refusal.replayed(.idToken)) { try await proof.verify(token) }
        proof.deployment.clock.advance(by: .seconds(1))
        await expectRefusal(
            JOSEError.expired(at: TestClock.start + .seconds(3600), now: TestClock.start + .seconds(3660)).refusal.spent
        ) { try await proof.verify(token) }
    }

    @Test("IDT-40: Of fifty parallel copies of a token one is accepted")
    func parallel() async throws {
        let proof = try Proof()
        let token = try proof.token.compact()
        let outcomes = await withTaskGroup(of: Refusal?.self) { group in
            for _ in 0..<50 {
                group.addTask {
                    do {
                        _ = try await proof.verify(token)
                        return nil
                    } catch {
                        return error as? Refusal
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == nil } == 1)
        #expect(outcomes.count { $0 == .replayed(.idToken) } == 49)
    }

    @Test("IDT-41: A token whose signature was rewritten is a replay")
    func rewrittenSignature() async throws {
        let proof = try Proof()
        let token = try proof.token.compact()
        let rewritten = try MalleatedSignature.of(token)
        #expect(rewritten != token)
        _ = try await proof.verify(token)
        await expectRefusal(Refusal.replayed(.idToken)) {
            try await proof.verify(rewritten)
        }
    }

    @Test("IDT-41: The rewritten signature is valid, so that only the record prevents the replay")
    func rewrittenSignatureAlone() async throws {
        let proof = try Proof()
        let rewritten = try MalleatedSignature.of(try proof.token.compact())
        #expect(try await proof.verify(rewritten).subject.text == Yahoo.subject)
    }

    @Test("IDT-42: Another spelling of the same signature is refused")
    func otherSpelling() async throws {
        let proof = try Proof()
        let token = try proof.token.compact()
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let last = try #require(token.last.flatMap(alphabet.firstIndex))
        // The last of 86 characters has four unused bits, which are zero.
        for bits in 1...15 {
            let spelling = String(token.dropLast()) + String(alphabet[last + bits])
            await expectRefusal(JOSEError.malformedBase64URL.refusal) {
                try await proof.verify(spelling)
            }
        }
        #expect(proof.deployment.store.calls.isEmpty)
    }

    @Test("IDT-46: A token that was refused for its nonce is accepted with the right one, once")
    func refusedFirst() async throws {
        let proof = try Proof()
        let token = try proof.token.compact()
        await expectRefusal(JOSEError.nonceMismatch.refusal) {
            try await proof.verify(token, nonces: ["another"])
        }
        _ = try await proof.verify(token)
        await expectRefusal(Refusal.replayed(.idToken)) { try await proof.verify(token) }
    }

    @Test("A nonce of this server is spent together with the token, in one step")
    func nonceRecord() async throws {
        let proof = try Proof()
        let record = proof.nonceRecord()
        let identity = try await proof.verify(proof.token, record: record)
        #expect(proof.deployment.store.calls == [.spend([.idToken, .nonce])])
        #expect(identity.returnable.map(\.kind) == [.idToken, .nonce])
        // Another token with the same nonce.
        await expectRefusal(Refusal.replayed(.nonce)) {
            try await proof.verify(proof.token.setting("jti", to: .string("2")), record: record)
        }
        // The same token with another nonce.
        await expectRefusal(Refusal.replayed(.idToken)) {
            try await proof.verify(proof.token, record: proof.nonceRecord(2))
        }
        #expect(proof.deployment.store.spentKinds == [.idToken, .nonce])
    }

    @Test("IDT-46: A refused token does not spend the nonce that was sent with it")
    func refusedWithNonce() async throws {
        let proof = try Proof()
        let record = proof.nonceRecord()
        await expectRefusal(JOSEError.audienceMismatch(expected: Proof.audiences).refusal) {
            try await proof.verify(proof.token.setting("aud", to: .string("x")), record: record)
        }
        #expect(proof.deployment.store.calls.isEmpty)
        _ = try await proof.verify(proof.token, record: record)
    }

    @Test("SR-09: A token that cannot be recorded proves no identity")
    func storeFails() async throws {
        let proof = try Proof()
        proof.deployment.store.fail(atCall: 1, with: .unavailable(.readOnly))
        await expectRefusal(StoreError.unavailable(.readOnly).refusal.unspent) {
            try await proof.verify(proof.token)
        }
        _ = try await proof.verify(proof.token)
    }

    @Test("SR-08: If the record may have been written, the token proves no identity and counts as spent")
    func outcomeUnknown() async throws {
        let proof = try Proof()
        proof.deployment.store.fail(atCall: 1, with: .outcomeUnknown(.inputOutput), afterwards: true)
        await expectRefusal(StoreError.outcomeUnknown(.inputOutput).refusal.spent) {
            try await proof.verify(proof.token)
        }
        await expectRefusal(Refusal.replayed(.idToken)) {
            try await proof.verify(proof.token)
        }
    }
}
