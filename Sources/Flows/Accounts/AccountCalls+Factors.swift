internal import Accounts
package import Firebase
package import SecondFactors
package import Standards
package import Stores

/// Calls of a signed-in user about the second factors of their account.
extension AccountCalls {
    /// Begins to add an authenticator application.
    ///
    /// - Parameters:
    ///   - user: The user, who has signed in recently, and with the second factor if the account has one.
    ///   - clientID: The client of the request, whose name authenticator applications show.
    /// - Throws: The refusal of the factor, or the error of the bearer.
    package func enroll(
        _ user: FirebaseUser, client clientID: ClientID, named name: String?
    ) async throws -> Enrollment {
        let client = try registrations.client(clientID)
        let authorized = try await callers.authorize(user, client: clientID, to: .addFactor)
        let caller = authorized.caller
        try await linker.adopt(caller)
        let factor = try await secondFactors.enroll(name, of: caller, authorized.checked)
        let account = AccountName(caller.account)
        return Enrollment(
            id: factor.id, secret: factor.secret,
            uri: factor.uri(issuer: client.name, account: account.person ?? account.uidEnd),
            expiresIn: SecondFactors.confirmationTime.components.seconds)
    }

    /// Confirms a factor by its first code.
    ///
    /// The caller must meet all conditions of ``enroll(_:client:named:)``: the factor may have been begun by an earlier
    /// session, which was ended since.
    package func confirm(
        _ factor: String, of user: FirebaseUser, client: ClientID, by code: Secret
    ) async throws -> FactorConfirmation {
        let authorized = try await callers.authorize(user, client: client, to: .confirmFactor)
        let codes = try await secondFactors.confirm(factor, of: authorized.caller, authorized.checked, by: code)
        return FactorConfirmation(recoveryCodes: codes.map(\.text))
    }

    package func factors(of user: FirebaseUser, client: ClientID?) async throws -> FactorsOfAccount {
        let caller = try await callers.caller(user, client: client)
        try callers.requireRecentLogin(user)
        return try await secondFactors.list(of: caller)
    }

    /// Removes a factor.
    ///
    /// The code proves the second factor, so that the session need not have proven it.
    package func remove(
        _ factor: String, of user: FirebaseUser, client: ClientID, by code: FactorCode
    ) async throws -> FactorRemoval {
        let caller = try await callers.authorize(user, client: client, to: .removeFactor).caller
        try await secondFactors.remove(factor, of: caller, by: code)
        return FactorRemoval()
    }
}

/// A factor that waits for its first code.
package struct Enrollment: Sendable {
    package let id: String
    /// In base32 (RFC 4648 §6).
    package let secret: Secret
    /// The `otpauth` URI of the secret.
    package let uri: Secret
    /// Seconds until the factor must be confirmed.
    package let expiresIn: Int64
}

package struct FactorConfirmation: AuditedOutcome {
    /// The codes, which replace the earlier ones of the account.
    package let recoveryCodes: [Secret]

    package var auditFact: AuditFact { AuditFact(.addFactor) }
}

package struct FactorRemoval: AuditedOutcome {
    package var auditFact: AuditFact { AuditFact(.removeFactor) }
}
