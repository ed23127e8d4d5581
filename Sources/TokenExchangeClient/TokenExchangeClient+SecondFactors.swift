extension TokenExchangeClient {
    /// Lists the second factors of the user, who has signed in recently.
    public func secondFactors() async throws(TokenExchangeError) -> SecondFactors {
        SecondFactors(try await api.send(query("GET", "/v1/account/factors"), as: FactorsAnswer.self))
    }

    /// Begins to add an authenticator application.
    ///
    /// - Parameter name: The name with which the user recognizes it.
    /// - Returns: The secret, which the user transfers to the authenticator application.
    public func addSecondFactor(named name: String? = nil) async throws(TokenExchangeError) -> FactorEnrollment {
        var members: [String: JSONValue] = ["client_id": .string(clientID), "type": .string("totp")]
        members["name"] = name.map(JSONValue.string)
        return try FactorEnrollment(
            try await api.send(.post("/v1/account/factors", members, isForUser: true), as: EnrollmentAnswer.self))
    }

    /// Confirms an authenticator application by its first code.
    ///
    /// - Returns: Recovery codes, which replace earlier ones. The server shows them only once.
    public func confirmSecondFactor(
        _ enrollment: FactorEnrollment, totp: String
    ) async throws(TokenExchangeError) -> [String] {
        let members: [String: JSONValue] = [
            "client_id": .string(clientID), "factor_id": .string(enrollment.id), "totp": .string(totp),
        ]
        return try await api.send(
            .post("/v1/account/factors/confirm", members, isForUser: true), as: ConfirmationAnswer.self
        ).recoveryCodes
    }

    /// Removes a second factor.
    ///
    /// - Parameter code: A code of any factor of the account, or a recovery code.
    public func removeSecondFactor(_ id: String, with code: FactorCode) async throws(TokenExchangeError) {
        let members: [String: JSONValue] = [
            "client_id": .string(clientID), "factor_id": .string(id), code.kind.rawValue: .string(code.text),
        ]
        _ = try await api.send(
            .post("/v1/account/factors/remove", members, isForUser: true), as: EmptyAnswer.self)
    }
}
