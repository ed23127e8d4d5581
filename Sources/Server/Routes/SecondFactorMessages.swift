internal import Flows
internal import JOSE
internal import Jansson
internal import SecondFactors
internal import Standards
internal import Stores

enum SecondFactorMessages {
    private static let type = "second_factor"
    private static let codes = ["totp", "recovery_code"]

    /// Whether the body of `/v1/exchange` continues a sign-in.
    static func isSecondFactor(_ body: JSON) -> Bool { body["credential"]?["type"]?.string == type }

    /// Reads the second half of a sign-in; the handle stands for the provider of the first half, which may be named.
    ///
    /// ```json
    /// {"client_id": "my-app",
    ///  "credential": {"type": "second_factor", "pending_credential": "...", "totp": "123456"}}
    /// ```
    static func request(_ body: JSON) throws(Refusal) -> SecondFactorRequest {
        let members = try Members(body, known: ["client_id", "provider", "credential"])
        let credential = try Members(members.object("credential"), known: ["type", "pending_credential"] + codes)
        return SecondFactorRequest(
            client: ClientID(try members.text("client_id", upTo: 128)),
            provider: try members.optionalText("provider", upTo: 128).map { ProviderID($0) },
            pendingCredential: Secret(try credential.text("pending_credential", upTo: 16 * 1024)),
            code: try code(credential))
    }

    /// `{"client_id": "my-app", "type": "totp", "name": "Phone"}`; the name is optional.
    static func enrollment(_ body: JSON) throws(Refusal) -> (client: ClientID, name: String?) {
        let members = try Members(body, known: ["client_id", "type", "name"])
        guard try members.text("type", upTo: 64) == "totp" else { throw .malformedField("type", "is not totp") }
        return (ClientID(try members.text("client_id", upTo: 128)), try members.optionalText("name", upTo: 128))
    }

    /// `{"client_id": "my-app", "factor_id": "...", "totp": "123456"}`.
    static func confirmation(
        _ body: JSON
    ) throws(Refusal) -> (client: ClientID, factor: String, code: Secret) {
        let members = try Members(body, known: ["client_id", "factor_id", "totp"])
        let text = try members.text("totp", upTo: 64)
        guard case .totp(let code) = FactorCode.totp(text) else { throw .malformedField("totp", "is not six digits") }
        return (ClientID(try members.text("client_id", upTo: 128)), try members.text("factor_id", upTo: 64), code)
    }

    /// `{"client_id": "my-app", "factor_id": "...", "totp": "123456"}`, or `recovery_code` instead of `totp`.
    static func removal(
        _ body: JSON
    ) throws(Refusal) -> (client: ClientID, factor: String, code: FactorCode) {
        let members = try Members(body, known: ["client_id", "factor_id"] + codes)
        return (
            ClientID(try members.text("client_id", upTo: 128)), try members.text("factor_id", upTo: 64),
            try code(members)
        )
    }

    /// Reads the code; exactly one of `totp` and `recovery_code` must be present.
    private static func code(_ members: Members) throws(Refusal) -> FactorCode {
        switch (try members.optionalText("totp", upTo: 64), try members.optionalText("recovery_code", upTo: 64)) {
        case (let text?, nil):
            guard let code = FactorCode.totp(text) else { throw .malformedField("totp", "is not six digits") }
            return code
        case (nil, let text?):
            guard let code = RecoveryCode(typed: text) else {
                throw .malformedField("recovery_code", "is not 16 letters from A to Z and digits from 2 to 7")
            }
            return .recoveryCode(code)
        case (nil, nil): throw .missingField("totp")
        case (_?, _?): throw .contradictoryFields("totp", "recovery_code")
        }
    }

    static func json(_ enrollment: Enrollment) -> JSON {
        .object([
            "factor_id": .string(enrollment.id), "secret": .string(enrollment.secret.secretText),
            "otpauth_uri": .string(enrollment.uri.secretText), "expires_in": .integer(enrollment.expiresIn),
        ])
    }

    static func json(_ confirmation: FactorConfirmation) -> JSON {
        .object(["recovery_codes": .array(confirmation.recoveryCodes.map { .string($0.secretText) })])
    }

    /// Describes the confirmed factors; times are seconds since 1970-01-01T00:00:00Z.
    static func json(_ factors: FactorsOfAccount) -> JSON {
        .object([
            "factors": .array(factors.confirmed.map(json)),
            "recovery_codes_left": .integer(Int64(factors.recoveryCodes)),
        ])
    }

    private static func json(_ factor: EnrolledFactor) -> JSON {
        var members: [String: JSON] = [
            "factor_id": .string(factor.id), "type": .string("totp"),
            "created_at": .integer(factor.createdAt.seconds),
        ]
        members["name"] = factor.name.map(JSON.string)
        members["last_used_at"] = factor.lastUsedAt.map { .integer($0.seconds) }
        return .object(members)
    }
}
