internal import JOSE
internal import Jansson
package import Minting
internal import Standards

/// The rules by which the process that holds the key signs for a server.
///
/// They are what is left if the server is taken over: its questions may then have any content.
package struct SignerRules: Sendable {
    /// The project of the key.
    package let projectID: String
    /// Seconds.
    package let maximumLifetime: Int64
    /// The names of developer claims, besides those that this program makes itself.
    package let claims: Set<String>
    /// The tenants for which a token may be; `nil` is a token without a tenant.
    package let tenants: [String?]
    /// The texts with which a uid begins; `nil` allows every uid.
    package let uidPrefixes: [String]?
    /// The URLs of the hooks that may be asked.
    package let hooks: [String]
    /// Whether Google may issue access tokens to the server.
    package let allowsAccessTokens: Bool

    package init(
        projectID: String, maximumLifetime: Duration, claims: [String], tenants: [String?], uidPrefixes: [String]?,
        hooks: [String], allowsAccessTokens: Bool
    ) {
        self.projectID = projectID
        self.maximumLifetime = maximumLifetime.components.seconds
        self.claims = Set(claims + ClaimTemplates.ownNames)
        self.tenants = tenants
        self.uidPrefixes = uidPrefixes
        self.hooks = hooks
        self.allowsAccessTokens = allowsAccessTokens
    }

    /// Checks a question.
    ///
    /// - Throws: The first rule that it breaks.
    package func check(_ question: SigningRequest) throws(SignerRefusal) {
        guard question.projectID.exactlyEquals(projectID) else { throw .projectMismatch }
        switch question.kind {
        case .customToken(let uid, let claims, let tenantID, let lifetime):
            try checkUID(uid)
            guard (1...maximumLifetime).contains(lifetime) else { throw .lifetimeNotAllowed }
            guard tenants.contains(where: { $0.exactlyEquals(tenantID) }) else { throw .tenantNotAllowed }
            try checkClaims(claims)
        case .hookEvent(let audience, let id, _):
            guard hooks.containsExactly(audience) else { throw .audienceNotAllowed }
            guard (1...128).contains(id.utf8.count) else { throw .idInvalid }
        case .accessTokenAssertion:
            guard allowsAccessTokens else { throw .accessTokensNotAllowed }
        case .check: break
        }
    }

    private func checkUID(_ uid: String) throws(SignerRefusal) {
        guard UID(uid) != nil else { throw .uidInvalid }
        guard let uidPrefixes else { return }
        guard uidPrefixes.contains(where: { uid.utf8.starts(with: $0.utf8) }) else { throw .uidNotAllowed }
    }

    private func checkClaims(_ members: [String: JSON]) throws(SignerRefusal) {
        do throws(MintingError) {
            _ = try DeveloperClaims(members)
        } catch .claimsTooLarge {
            throw .claimsTooLarge
        } catch {
            throw .reservedClaim
        }
        guard members.keys.allSatisfy({ claims.containsExactly($0) }) else { throw .claimNotAllowed }
    }
}
