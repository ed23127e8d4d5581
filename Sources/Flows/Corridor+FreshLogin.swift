internal import JOSE
internal import Minting
internal import Providers
internal import Verification

extension Corridor {
    /// The flow by which a person is sent to a provider.
    ///
    /// - `named`: by the application; nil for the provider's default, and to reauthenticate for one that can ask for
    ///   a login of now.
    func flow(
        _ named: String?, for purpose: AccountIntent.Purpose?, at provider: Provider
    ) throws(SignInError) -> String {
        if let named, provider.protocols[named] == nil { throw .unknownFlow }
        guard purpose == .reauthenticate else { return named ?? provider.defaultFlow }
        guard let flow = provider.flowForFreshLogin(named) else { throw .freshLoginUnavailable }
        return flow
    }

    /// Refuses an identity that reauthenticates without evidence of a login since `began`.
    ///
    /// OpenID Connect Core §3.1.3.7 (13): if `max_age` was asked for, `auth_time` is what shows it; §2 makes it a
    /// required claim then. A provider that leaves it out must not be taken at its word.
    ///
    /// - `binding`: of the flow that asked for the login; nil for a credential that an application posts, which only
    ///   a time in the ID token shows to be fresh.
    func checkFreshness(
        of identity: VerifiedIdentity, for intent: AccountIntent?, since began: NumericDate,
        bound binding: SealedSession.Binding?, at provider: Provider
    ) throws(SignInError) {
        guard intent?.purpose == .reauthenticate else { return }
        guard let at = identity.authenticatedAt else {
            switch Self.evidence(of: binding, at: provider) {
            case .prompt: return
            case .authenticationTime: throw .freshLoginUnproven
            case nil: throw .freshLoginUnavailable
            }
        }
        let skew = provider.openIDConnect?.clockSkew ?? .seconds(60)
        guard began - skew <= at else { throw .loginNotFresh }
        let now = time.now()
        guard at <= now + skew else { throw .verification(.idToken(.issuedInFuture(at: at, now: now))) }
    }

    private static func evidence(
        of binding: SealedSession.Binding?, at provider: Provider
    ) -> FreshLogin.Evidence? {
        switch binding {
        case nil: .authenticationTime
        case .temporaryCredentials: provider.oauth1?.freshLogin?.evidence
        case .authorizationCode: (provider.openIDConnect?.freshLogin ?? provider.oauth2?.freshLogin)?.evidence
        }
    }

    /// What an identity shows that has passed ``checkFreshness(of:for:since:bound:at:)``.
    ///
    /// The time is the provider's, and never later than ours: an application compares it with its own clock.
    func reauthentication(by identity: VerifiedIdentity) -> Reauthentication {
        identity.authenticatedAt.map { .loggedIn(at: min($0, time.now())) } ?? .prompted
    }
}
