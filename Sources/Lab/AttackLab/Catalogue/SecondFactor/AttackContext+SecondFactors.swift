internal import Jansson

/// Accounts with a second factor, and the requests about it.
extension AttackContext {
    /// Returns the request that begins to add a factor.
    func enrollment(_ bearer: String) -> Request {
        .json(
            "/v1/account/factors", ["client_id": .string(lab.application.clientID), "type": "totp"], bearer: bearer)
    }

    /// Returns the request that confirms a factor by its first code.
    func confirmation(_ bearer: String, _ factor: String, _ code: String) -> Request {
        .json(
            "/v1/account/factors/confirm",
            [
                "client_id": .string(lab.application.clientID), "factor_id": .string(factor), "totp": .string(code),
            ], bearer: bearer)
    }

    /// Returns the request that removes a factor.
    func removal(_ bearer: String, _ factor: String, _ code: FactorText) -> Request {
        .json(
            "/v1/account/factors/remove",
            [
                "client_id": .string(lab.application.clientID), "factor_id": .string(factor),
                code.member: .string(code.text),
            ], bearer: bearer)
    }

    /// Returns the second half of a sign-in.
    func proving(_ handle: String, _ code: FactorText, clientID: String? = nil) -> Request {
        proving(["pending_credential": .string(handle), code.member: .string(code.text)], clientID: clientID)
    }

    /// Returns the second half of a sign-in, with any members in its credential.
    func proving(_ members: [String: JSON], clientID: String? = nil) -> Request {
        .json(
            "/v1/exchange",
            [
                "client_id": .string(clientID ?? lab.application.clientID),
                "credential": .object(members.merging(["type": "second_factor"]) { first, _ in first }),
            ])
    }

    /// Begins to add a factor to an account.
    func begunFactor(of member: Member) async throws -> Authenticator {
        let begun = try await honest(enrollment(member.bearer))
        guard let id = begun["factor_id"], let secret = begun["secret"], let authenticator = Authenticator(id, secret)
        else { throw Inconclusive("POST /v1/account/factors began no factor.") }
        await self.secret(secret)
        return authenticator
    }

    /// Adds a factor to an account, with the code of the previous time step.
    ///
    /// The codes of the current step and of the next one can still be used.
    func enrolled(_ member: Member) async throws -> Enrolled {
        let authenticator = try await begunFactor(of: member)
        let answer = try await honest(confirmation(member.bearer, authenticator.id, authenticator.code(-1)))
        let codes = (answer.json?["recovery_codes"]?.array ?? []).compactMap(\.string)
        guard codes.count == 10 else { throw Inconclusive("The confirmation returned no ten recovery codes.") }
        for code in codes { await secret(code) }
        return Enrolled(member: member, authenticator: authenticator, recoveryCodes: codes)
    }

    /// Signs a user in who did not exist, and adds a factor to the account.
    func enterWithFactor() async throws -> Enrolled {
        try await enrolled(try await enter())
    }

    /// Signs in with the identity of an account with a factor, and returns the handle of the challenge.
    func challenge(_ person: Enrolled) async throws -> String {
        let proof = try await proof(of: person.member.subject, at: person.member.provider)
        let answer = try await honest(exchange(proof, provider: person.member.provider), status: 403)
        guard answer["reason"] == "second_factor_required", let handle = answer["pending_credential"] else {
            throw Inconclusive("The sign-in was refused, but not for the second factor.")
        }
        await secret(handle)
        return handle
    }

    /// Signs in with both factors, and exchanges the custom token at Firebase.
    func enter(_ person: Enrolled, _ code: FactorText) async throws -> Member {
        let answer = try await honest(proving(try await challenge(person), code))
        return try await member(answer, person.member.provider, person.member.subject)
    }

    /// Returns the ids of the confirmed factors of an account.
    func factors(_ bearer: String) async throws -> [String] {
        let answer = try await honest(Request.get("/v1/account/factors").bearing(bearer))
        return (answer.json?["factors"]?.array ?? []).compactMap { $0["factor_id"]?.string }
    }

    /// Expects that a sign-in of the account still asks for the second factor, and that it has the same identities.
    func expectProtected(_ person: Enrolled) async throws {
        _ = try await challenge(person)
        try await expectIdentities(person.member, [person.member.provider: person.member.subject])
        await expect(
            try await factors(person.member.bearer) == [person.authenticator.id], .minted,
            "The factors of the account have changed.")
    }
}

/// A user whose account has a second factor.
struct Enrolled: Sendable {
    /// The sign-in before the factor was added.
    let member: Member
    let authenticator: Authenticator
    /// The ten recovery codes.
    let recoveryCodes: [String]
}

/// A code, with the member of JSON that carries it.
struct FactorText: Sendable {
    let member: String
    let text: String

    static func totp(_ text: String) -> Self { Self(member: "totp", text: text) }

    static func recoveryCode(_ text: String) -> Self { Self(member: "recovery_code", text: text) }
}

extension Expectation {
    /// Expects 403 `second_factor_required`.
    static var factorRequired: Self { .denied("second_factor_required") }

    /// Expects 400 `second_factor_invalid`.
    static var wrongFactor: Self { .refused("second_factor_invalid") }

    /// Expects 403 `second_factor_locked`.
    static var factorLocked: Self { .denied("second_factor_locked") }
}
