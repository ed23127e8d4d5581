package import Accounts
package import Firebase
package import JOSE
package import OAuth

/// Makes the custom token of an account.
package struct Minter: Sendable {
    private let signer: CustomTokenSigner
    private let templates: ClaimTemplates
    private let time: TimeSource

    package init(signer: CustomTokenSigner, templates: ClaimTemplates, time: TimeSource) {
        self.signer = signer
        self.templates = templates
        self.time = time
    }

    /// - `lifetime`: at most an hour; Firebase takes a token as often as it is shown until then.
    /// - `tenantID`: of the configuration; never of the caller.
    /// - `reauthentication`: told as a claim; nil for a sign-in.
    package func mint(
        _ account: Account, for client: ClientID, lifetime: Duration, tenantID: String?,
        reauthentication: Reauthentication? = nil
    ) async throws(MintingError) -> CustomToken {
        let claims = CustomTokenClaims(
            uid: account.uid.text,
            developerClaims: try templates.claims(
                for: account, client: client, reauthentication: reauthentication),
            tenantID: tenantID, issuedAt: time.now(), lifetime: lifetime)
        do {
            let token = try await signer.sign(claims)
            return CustomToken(secret: Secret(token), uid: account.uid, expiresIn: claims.expiresIn)
        } catch {
            throw .signing(error)
        }
    }

    /// Whether a token could not be signed in time now.
    package var isOverloaded: Bool { signer.isOverloaded }

    /// Makes a token that is thrown away, for readiness: it expired two hours ago.
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
