internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Synchronization
internal import Transport

/// The client of the process that holds the key.
///
/// It hands out only tokens that say what was asked, with a valid signature of the key that it learned with the first
/// answer. Another process at the socket would otherwise decide what this server answers.
struct ProcessSigner: Sendable {
    let projectID: String
    let calls: FrameCalls
    private let known = KnownSigner()

    /// Has a token signed.
    ///
    /// - Throws: ``MintingError/overloaded`` if the other process has too much to do, or its rate is exceeded;
    ///   ``MintingError/process(_:)``, also for a token that is not the one that was asked for.
    func token(_ kind: SigningRequest.Kind) async throws(MintingError) -> String {
        let identity: SignerIdentity
        if let found = known.identity { identity = found } else { identity = try await learnedIdentity() }
        guard case .token(let token) = try await answer(to: kind) else { throw .process(.malformedAnswer) }
        try SignedAnswer.check(token, answers: kind, of: identity)
        return token
    }

    /// Checks that the other process answers and signs, with the same key as before.
    func check() async throws(MintingError) {
        _ = try await learnedIdentity()
    }

    private func learnedIdentity() async throws(MintingError) -> SignerIdentity {
        guard case .checked(let identity) = try await answer(to: .check) else { throw .process(.malformedAnswer) }
        guard known.learn(identity) else { throw .process(.otherKey) }
        return identity
    }

    private func answer(to kind: SigningRequest.Kind) async throws(MintingError) -> SigningResponse {
        let question = SigningRequest(projectID: projectID, kind: kind)
        let bytes: [UInt8]
        do throws(FrameCallError) {
            bytes = try await calls.ask(question.json.serialized())
        } catch .overloaded {
            throw .overloaded
        } catch {
            throw .process(.unreachable(error))
        }
        guard let answer = SigningResponse.parse(bytes) else { throw .process(.malformedAnswer) }
        switch answer {
        case .refused(.rateExceeded): throw .overloaded
        case .refused(let refusal): throw .process(.refused(refusal))
        case .token, .checked: return answer
        }
    }
}

/// The identity of the process that answered first.
private final class KnownSigner: Sendable {
    private let state = Mutex<SignerIdentity?>(nil)

    var identity: SignerIdentity? { state.withLock { $0 } }

    /// Keeps the first identity, and returns whether `new` equals it.
    func learn(_ new: SignerIdentity) -> Bool {
        state.withLock { known in
            if known == nil { known = new }
            return known == new
        }
    }
}

/// The checks of a token before it is handed out.
private enum SignedAnswer {
    static func check(
        _ token: String, answers kind: SigningRequest.Kind, of identity: SignerIdentity
    ) throws(MintingError) {
        guard let jws = try? CompactJWS.parse(token), let payload = try? JSON.parse(jws.payload),
            jws.header.algorithm.exactlyEquals(Algorithm.rs256.rawValue)
        else { throw .process(.malformedAnswer) }
        guard identity.key.isValid(signature: jws.signature, for: jws.signingInput) else { throw .process(.otherKey) }
        guard says(payload, of: jws.header.type, kind, identity.issuer) else { throw .process(.malformedAnswer) }
    }

    /// Returns whether a payload has exactly the members that were asked for; times are only compared with each other,
    /// because the other process has its own clock.
    private static func says(
        _ payload: JSON, of type: String?, _ kind: SigningRequest.Kind, _ issuer: String
    ) -> Bool {
        guard var members = payload.object, members.removeValue(forKey: "iss") == .string(issuer),
            let issuedAt = members.removeValue(forKey: "iat")?.integer,
            let expiresAt = members.removeValue(forKey: "exp")?.integer
        else { return false }
        let (lifetime, overflows) = expiresAt.subtractingReportingOverflow(issuedAt)
        guard !overflows, lifetime > 0 else { return false }
        switch kind {
        case .customToken(let uid, let claims, let tenantID, let longest):
            var expected: [String: JSON] = [
                "aud": .string(CustomTokenClaims.audience), "sub": .string(issuer), "uid": .string(uid),
            ]
            if !claims.isEmpty { expected["claims"] = .object(claims) }
            expected["tenant_id"] = tenantID.map(JSON.string)
            return type == CustomTokenSigner.Kind.customToken.rawValue && lifetime <= longest && members == expected
        case .hookEvent(let audience, let id, let event):
            return type == CustomTokenSigner.Kind.hookEvent.rawValue
                && members == [
                    "aud": .string(audience), "sub": .string(issuer), "jti": .string(id), "event": event,
                ]
        case .accessTokenAssertion:
            return type == "JWT" && Set(members.keys) == ["aud", "scope"]
        case .check: return false
        }
    }
}
