package import Accounts
package import Firebase
package import JOSE
package import OAuth

/// Makes the custom token of an account.
package struct Minter: Sendable {
    private let signer: CustomTokenSigner
    private let templates: ClaimTemplates
    private let tenantID: String?
    private let time: TimeSource

    /// - `tenantID`: of the deployment; never of the caller.
    package init(signer: CustomTokenSigner, templates: ClaimTemplates, tenantID: String?, time: TimeSource) {
        self.signer = signer
        self.templates = templates
        self.tenantID = tenantID
        self.time = time
    }

    /// - `lifetime`: at most an hour; Firebase takes a token as often as it is shown until then.
    package func mint(
        _ account: Account, for client: ClientID, lifetime: Duration
    ) async throws(MintingError) -> CustomToken {
        let claims = CustomTokenClaims(
            uid: account.uid.text, developerClaims: try templates.claims(for: account, client: client),
            tenantID: tenantID, issuedAt: time.now(), lifetime: lifetime)
        do {
            let token = try await signer.sign(claims)
            return CustomToken(secret: Secret(token), uid: account.uid, expiresIn: claims.expiresIn)
        } catch {
            throw .signing(error)
        }
    }

    /// Whether the key signs at all: a token that is thrown away, for readiness.
    package func check() async throws(MintingError) {
        let claims = CustomTokenClaims(
            uid: "readiness", developerClaims: .none, tenantID: nil, issuedAt: time.now() - .seconds(7200),
            lifetime: .seconds(1))
        do {
            _ = try await signer.sign(claims)
        } catch {
            throw .signing(error)
        }
    }
}
