package import JOSE
internal import Standards
package import Stores

/// The second factors of accounts.
extension FirestoreStore: EnrolledFactors {
    package func keep(
        _ factor: EnrolledFactor, expecting expectation: AccountExpectation
    ) async throws(StoreError) -> FactorDecision {
        try await transaction { session async throws(StoreError) -> Outcome<FactorDecision> in
            if let refusal = try await session.refusalOfFactor(expectation) { return .undo(refusal) }
            var stored = try await session.factors(of: expectation.holder)
            stored.factors = stored.confirmed + [factor]
            try await session.write(stored, of: expectation.holder)
            return .keep(.done)
        }
    }

    package func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsOfAccount {
        try await read { session async throws(StoreError) in
            let stored = try await session.factors(of: holder)
            return FactorsOfAccount(
                factors: stored.factors, recoveryCodes: stored.recoveryCodes.count, tries: stored.tries)
        }
    }

    package func confirm(
        _ id: String, expecting expectation: AccountExpectation, step: Int64, recoveryCodes: [[UInt8]],
        at now: NumericDate
    ) async throws(StoreError) -> FactorDecision {
        try await transaction { session async throws(StoreError) -> Outcome<FactorDecision> in
            if let refusal = try await session.refusalOfFactor(expectation) { return .undo(refusal) }
            var stored = try await session.factors(of: expectation.holder)
            let isConfirmed = stored.change(id) { factor in
                guard let end = factor.expiresAt, now < end else { return nil }
                return factor.with(expiresAt: nil, lastStep: step)
            }
            guard isConfirmed else { return .undo(.unknownFactor) }
            stored.recoveryCodes = recoveryCodes
            try await session.write(stored, of: expectation.holder)
            return .keep(.done)
        }
    }

    package func beginTry(_ attempt: FactorTry, at now: NumericDate) async throws(StoreError) -> FactorTryOutcome {
        try await transaction { session async throws(StoreError) -> Outcome<FactorTryOutcome> in
            var stored = try await session.factors(of: attempt.holder)
            guard let counted = stored.tries.counting(attempt, at: now) else {
                return .undo(stored.tries.refusal(of: attempt))
            }
            if let handle = attempt.handle {
                guard var pending = try await session.document(handle.pending),
                    let failures = pending[integer: "failures"], failures < FactorLock.tries
                    // The try of the account is not counted either, because no code is compared.
                else { return .undo(.handleEnded) }
                pending[integer: "failures"] = failures + 1
                session.set(handle.pending, pending)
            }
            stored.tries = counted
            try await session.write(stored, of: attempt.holder)
            return .keep(.allowed(stored.confirmed))
        }
    }

    package func use(_ code: FactorUse, of holder: FactorHolder, at now: NumericDate) async throws(StoreError) -> Bool {
        try await change(holder) { stored in
            let isUsed =
                switch code {
                case .totp(let id, let step, _):
                    stored.change(id) { factor in
                        guard factor.expiresAt == nil, factor.lastStep < step else { return nil }
                        return factor.with(expiresAt: nil, lastStep: step, lastUsedAt: now)
                    }
                case .recoveryCode(let digest):
                    stored.recoveryCodes.firstIndex(of: digest).map { stored.recoveryCodes.remove(at: $0) } != nil
                }
            if isUsed { stored.tries = CountedTries() }
            return isUsed
        }
    }

    package func giveBack(_ code: FactorUse, of holder: FactorHolder) async throws(StoreError) {
        _ = try await change(holder) { stored in
            switch code {
            case .totp(let id, let step, let previous):
                return stored.change(id) { factor in
                    factor.lastStep == step ? factor.with(expiresAt: factor.expiresAt, lastStep: previous) : nil
                }
            case .recoveryCode(let digest):
                guard !stored.recoveryCodes.contains(digest) else { return false }
                stored.recoveryCodes.append(digest)
                return true
            }
        }
    }

    package func removeFactor(_ id: String, of holder: FactorHolder) async throws(StoreError) -> Bool {
        try await change(holder) { stored in
            guard stored.confirmed.contains(where: { $0.id.utf8.elementsEqual(id.utf8) }) else { return false }
            stored.factors.removeAll { $0.expiresAt == nil && $0.id.utf8.elementsEqual(id.utf8) }
            if stored.confirmed.isEmpty { stored.recoveryCodes = [] }
            return true
        }
    }

    package func removeWaitingFactor(of holder: FactorHolder) async throws(StoreError) {
        _ = try await change(holder) { stored in
            guard stored.factors.count > stored.confirmed.count else { return false }
            stored.factors = stored.confirmed
            return true
        }
    }

    package func removeFactors(of holder: FactorHolder) async throws(StoreError) {
        _ = try await change(holder) { stored in
            stored = FactorsDocument()
            return true
        }
    }

    package func unlockFactors(of holder: FactorHolder) async throws(StoreError) {
        _ = try await change(holder) { stored in
            guard stored.tries != CountedTries() else { return false }
            stored.tries = CountedTries()
            return true
        }
    }

    /// Changes the second factors of an account.
    ///
    /// - Returns: What `body` returned: whether it has changed anything.
    private func change(
        _ holder: FactorHolder, _ body: (inout FactorsDocument) -> Bool
    ) async throws(StoreError) -> Bool {
        try await transaction { session async throws(StoreError) in
            var stored = try await session.factors(of: holder)
            guard body(&stored) else { return .undo(false) }
            try await session.write(stored, of: holder)
            return .keep(true)
        }
    }
}

/// The second factors of an account as they are stored, with its recovery codes and counted tries.
struct FactorsDocument {
    /// The factors in the order of their creation.
    var factors: [EnrolledFactor] = []
    /// The digests of the recovery codes that were not used.
    var recoveryCodes: [[UInt8]] = []
    var tries = CountedTries()

    var confirmed: [EnrolledFactor] { factors.filter { $0.expiresAt == nil } }
    var isEmpty: Bool { factors.isEmpty && recoveryCodes.isEmpty && tries == CountedTries() }

    init() {}

    init(_ fields: Fields) throws(StoreError) {
        for map in fields[maps: "factors"] {
            guard let id = map[text: "id"], let secret = map[text: "secret"], let createdAt = map[time: "created_at"],
                let lastStep = map[integer: "last_step"]
            else { throw .corrupt }
            factors.append(
                EnrolledFactor(
                    id: id, name: map[text: "name"], secret: secret, createdAt: createdAt,
                    expiresAt: map[time: "expires_at"], lastStep: lastStep, lastUsedAt: map[time: "last_used_at"]))
        }
        factors.sort {
            $0.createdAt == $1.createdAt
                ? $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) : $0.createdAt < $1.createdAt
        }
        recoveryCodes = fields[list: "recovery_codes"]
        let end = fields[time: "locked_until"]
        tries = CountedTries(count: Int(clamping: fields[integer: "failures"] ?? 0), lockedUntil: end)
    }

    var fields: Fields {
        var fields = Fields()
        fields[maps: "factors"] = factors.map { factor in
            var map = Fields()
            map[text: "id"] = factor.id
            map[text: "name"] = factor.name
            map[text: "secret"] = factor.secret
            map[time: "created_at"] = factor.createdAt
            map[time: "expires_at"] = factor.expiresAt
            map[integer: "last_step"] = factor.lastStep
            map[time: "last_used_at"] = factor.lastUsedAt
            return map
        }
        fields[list: "recovery_codes"] = recoveryCodes
        fields[integer: "failures"] = Int64(tries.count)
        fields[time: "locked_until"] = tries.lockedUntil
        return fields
    }

    /// Replaces a factor.
    ///
    /// - Returns: Whether the factor exists and `body` returned another one.
    mutating func change(_ id: String, _ body: (EnrolledFactor) -> EnrolledFactor?) -> Bool {
        guard let index = factors.firstIndex(where: { $0.id.utf8.elementsEqual(id.utf8) }),
            let changed = body(factors[index])
        else { return false }
        factors[index] = changed
        return true
    }
}

extension EnrolledFactor {
    fileprivate func with(expiresAt: NumericDate?, lastStep: Int64, lastUsedAt: NumericDate? = nil) -> EnrolledFactor {
        EnrolledFactor(
            id: id, name: name, secret: secret, createdAt: createdAt, expiresAt: expiresAt, lastStep: lastStep,
            lastUsedAt: lastUsedAt ?? self.lastUsedAt)
    }
}

extension FactorHolder {
    var name: DocumentName { DocumentName(.factors, of: uid.text, tenant) }
}

extension FirestoreSession {
    func factors(of holder: FactorHolder) async throws(StoreError) -> FactorsDocument {
        guard let fields = try await document(holder.name) else { return FactorsDocument() }
        return try FactorsDocument(fields)
    }

    /// Writes the second factors, and what the account says of them.
    func write(_ stored: FactorsDocument, of holder: FactorHolder) async throws(StoreError) {
        let isThere = try await document(holder.name) != nil
        if !stored.isEmpty { set(holder.name, stored.fields) } else if isThere { delete(holder.name) }
        guard holder.tenant.isEmpty, var document = try await account(uid: holder.uid),
            document.hasFactor == stored.confirmed.isEmpty
        else { return }
        document.hasFactor.toggle()
        write(document)
    }

    /// Removes everything about the second factors of an account that is removed.
    func removeFactors(of holder: FactorHolder) async throws(StoreError) {
        if try await document(holder.name) != nil { delete(holder.name) }
    }

    /// The reason why an account must not get another factor.
    fileprivate func refusalOfFactor(_ expectation: AccountExpectation) async throws(StoreError) -> FactorDecision? {
        let document = try await account(uid: expectation.uid)
        // The account may have no document yet: Firebase made its user.
        if document == nil, try await isRetired(uid: expectation.uid) { return .refused(.retired) }
        if document?.account.isDisabled ?? false { return .refused(.disabled) }
        if let refusal = try await refusal(of: expectation) { return .refused(refusal) }
        let count = try await factors(of: expectation.holder).confirmed.count
        return count < FactorsOfAccount.maximum ? nil : .tooMany
    }
}
