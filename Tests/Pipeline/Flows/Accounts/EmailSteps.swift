import Flows
import Jansson
import Standards
import Stores
import Support
import Testing

extension Deployment {
    /// Yahoo's person has the address ann@example.org, and an account.
    static func ofAnn(_ emails: EmailRule = .oneAccountEach) async throws -> Deployment {
        let deployment = try Deployment { $0.emails = emails }
        _ = try await deployment.signIn(.yahooIDToken)
        return deployment
    }

    /// Somebody at the generic provider who is new here.
    func namesake(email: String = "ann@example.org", verified: JSON? = .bool(true)) throws -> Credential {
        clock.advance(by: .seconds(1))
        var token = IDTokenBuilder.generic(nonce: "app-nonce", at: clock.now)
        token.claims["email"] = .string(email)
        token.claims["email_verified"] = verified
        try scriptGeneric(token)
        return .authorizationCode(
            code: Secret(try random.source.unguessableText()), redirectURI: DeploymentPlan.redirectURI,
            codeVerifier: Secret(Way.verifier), nonce: Secret("app-nonce"))
    }

    /// The conflict in which the first sign-in of a namesake ends.
    func emailConflict(_ email: String = "ann@example.org") async throws -> PendingSignIn {
        let credential = try namesake(email: email)
        return try await conflict { _ = try await exchange(credential, of: Generic.id) }
    }
}
