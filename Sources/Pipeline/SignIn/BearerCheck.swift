package import Firebase
package import JOSE
internal import OAuth
internal import Stores

/// Tells whether a Firebase ID token speaks for its user.
package struct BearerCheck: Sendable {
    private let verifier: FirebaseIDTokenVerifier
    private let toolkit: IdentityToolkit?
    private let rules: AccountRules
    private let time: TimeSource

    /// - `toolkit`: whom to ask for revoked sessions; without it nobody can be.
    package init(
        verifier: FirebaseIDTokenVerifier, toolkit: IdentityToolkit?, rules: AccountRules, time: TimeSource
    ) {
        self.verifier = verifier
        self.toolkit = toolkit
        self.rules = rules
        self.time = time
    }

    /// Whether the configuration counts on Identity Toolkit.
    private var needsToolkit: Bool { rules.checksRevocation || rules.directoryIsFirebase }

    /// The user of a token of this project.
    ///
    /// - `tenants`: of which the user has to be one's; nil stands for no tenant.
    func user(_ bearer: Secret?, tenants: [String?]) async throws(BearerError) -> FirebaseUser {
        guard let bearer else { throw .missing }
        let user: FirebaseUser
        do {
            user = try await verifier.verify(bearer, tenants: tenants)
        } catch {
            throw .idToken(error)
        }
        if rules.checksRevocation { try await requireValid(user) }
        return user
    }

    func requireRecentLogin(_ user: FirebaseUser) throws(BearerError) {
        guard time.now() <= user.authenticatedAt + rules.recentLogin else { throw .requiresRecentLogin }
    }

    /// Asks whether the user's sessions were ended, where there is somebody to ask.
    ///
    /// - `mints`: whether a custom token is to come of it, which would pass by a second factor.
    func requireValid(_ user: FirebaseUser, mints: Bool = false) async throws(BearerError) {
        guard let toolkit else { return }
        let standing: SessionStanding
        do {
            standing = try await toolkit.of(tenantID: user.tenantID)
                .check(user.uid, authenticatedAt: user.authenticatedAt)
        } catch .permissionDenied where !needsToolkit {
            // A service account that may only sign: it was never to ask.
            return
        } catch {
            throw .directory(StoreError(ofLookup: error))
        }
        switch standing {
        case .valid: return
        case .secondFactorEnrolled: if mints { throw .secondFactorEnrolled }
        case .revoked, .unknownUser: throw .revoked
        case .disabled: throw .disabled
        }
    }

    /// Whether a user can sign in by something besides the given providers, as far as there is somebody to ask.
    ///
    /// - Throws: ``BearerError/disabled`` and ``BearerError/secondFactorEnrolled`` for who is to stay as they are.
    func hasOtherWayIn(
        _ uid: String, tenantID: String?, besides providers: Set<String>
    ) async throws(BearerError) -> Bool {
        guard let toolkit else { return false }
        let user: FirebaseUserRecord?
        do {
            user = try await toolkit.of(tenantID: tenantID).user(uid)
        } catch .permissionDenied where !needsToolkit {
            return false
        } catch {
            throw .directory(StoreError(ofLookup: error))
        }
        guard let user else { return false }
        guard !user.isDisabled else { throw .disabled }
        guard !user.hasSecondFactor else { throw .secondFactorEnrolled }
        return !user.waysIn.subtracting(providers).isEmpty
    }
}
