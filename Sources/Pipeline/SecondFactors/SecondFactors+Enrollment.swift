package import Accounts
internal import JOSE
internal import Jansson
package import Standards
package import Stores

extension SecondFactors {
    /// The time in which a new factor has to be confirmed.
    package static let confirmationTime = Duration.seconds(600)
    private static let recoveryCodes = 10

    /// Begins to add an authenticator application to the caller's account.
    ///
    /// The factor counts only after ``confirm(_:of:by:)``. It replaces another one that was not confirmed.
    ///
    /// - Parameters:
    ///   - name: The name that the person gives it, for example of their phone.
    ///   - checked: The same caller, who has proven the existing factors.
    /// - Returns: The secret, which is never shown again.
    /// - Throws: `Refusal` or `StoreError`.
    package func enroll(
        _ name: String?, of caller: Caller, _ checked: CheckedCaller
    ) async throws -> BegunFactor {
        guard !caller.account.isAnonymous else {
            throw Refusal(
                .notForAnonymous, "An anonymous account cannot have a second factor. Link an identity first.")
        }
        let holder = checked.holder
        let id = Base64URL.encode(try random.bytes(16))
        let secret = try random.bytes(TOTP.secretLength)
        let now = time.now()
        let sealed = try seal.seal(
            .object(["secret": .string(Base64URL.encode(secret))]), as: .factor,
            for: Self.sealContext(id, holder))
        let factor = EnrolledFactor(
            id: id, name: name, secret: sealed, createdAt: now, expiresAt: now + Self.confirmationTime)
        try done(
            await store.keep(factor, expecting: stored(checked, caller)))
        return BegunFactor(id: id, secret: Secret(Base32.encode(secret)))
    }

    /// Confirms a factor by its first code, and replaces the recovery codes of the account.
    ///
    /// The number of tries is not limited, because the caller knows the secret.
    ///
    /// - Parameters:
    ///   - checked: The same caller, who has proven the existing factors. If another one was confirmed since, the
    ///     caller has not proven it.
    ///   - code: Six digits.
    /// - Returns: Ten recovery codes, which are never shown again.
    /// - Throws: `Refusal` or `StoreError`.
    package func confirm(
        _ id: String, of caller: Caller, _ checked: CheckedCaller, by code: Secret
    ) async throws -> [RecoveryCode] {
        let holder = checked.holder
        let now = time.now()
        let waiting = try await factors(of: holder).factors.first { factor in
            factor.id == id && factor.expiresAt.map { now < $0 } ?? false
        }
        guard let waiting, let totp = opened(waiting, of: holder) else { throw Refusal.unknownFactor }
        guard let step = totp.step(of: code.secretText, at: now) else { throw Refusal.invalidCode }
        var codes: [RecoveryCode] = []
        for _ in 0..<Self.recoveryCodes {
            codes.append(try RecoveryCode(random: random))
        }
        try done(
            await store.confirm(
                id, expecting: stored(checked, caller), step: step,
                recoveryCodes: codes.map { $0.digest(for: holder) }, at: now))
        return codes
    }

    private func done(_ decision: FactorDecision) throws {
        switch decision {
        case .done: return
        case .unknownFactor: throw Refusal.unknownFactor
        case .tooMany:
            throw Refusal.tooManyFactors
        case .refused(let refusal): throw Refusal(refusal).spent
        }
    }

    package func list(of caller: Caller) async throws -> FactorsOfAccount {
        try await factors(of: holder(of: caller))
    }

    /// Removes a factor.
    ///
    /// With the last one, the account also loses its recovery codes.
    ///
    /// - Parameter code: A code of any factor of the account, or a recovery code.
    /// - Throws: A `Refusal` for an unknown factor, or the errors of ``prove(_:of:handle:)``.
    package func remove(_ id: String, of caller: Caller, by code: FactorCode) async throws {
        let holder = holder(of: caller)
        guard try await factors(of: holder).confirmed.contains(where: { $0.id == id }) else {
            throw Refusal.unknownFactor
        }
        _ = try await prove(code, of: holder, handle: nil)
        guard try await store.removeFactor(id, of: holder) else {
            throw Refusal.unknownFactor
        }
    }

    /// Removes the factor of an account that waits for its confirmation, if there is one.
    ///
    /// - Throws: `StoreError`.
    package func removeWaiting(of uid: UID, tenantID: String?) async throws {
        try await store.removeWaitingFactor(of: holder(uid, tenantID: tenantID))
    }

    /// Removes everything about the factors of the caller's account, which was deleted.
    package func removeAll(of caller: Caller) async throws {
        try await store.removeFactors(of: holder(of: caller))
    }
}

/// A factor that is not confirmed yet.
package struct BegunFactor: Sendable {
    package let id: String
    /// The secret in base32 (RFC 4648 §6), for a person who types it.
    package let secret: Secret

    /// Returns the URI that authenticator applications read from a QR code.
    ///
    /// - Parameter issuer: The name of the application that the account belongs to.
    /// - SeeAlso: <https://github.com/google/google-authenticator/wiki/Key-Uri-Format>
    package func uri(issuer: String, account: String) -> Secret {
        // The format separates the two names by a colon.
        let issuer = PercentEncoding.encode(String(issuer.filter { $0 != ":" }))
        let account = PercentEncoding.encode(account)
        return Secret(
            "otpauth://totp/\(issuer):\(account)?secret=\(secret.secretText)&issuer=\(issuer)"
                + "&algorithm=SHA1&digits=\(TOTP.digits)&period=\(TOTP.period)")
    }
}
