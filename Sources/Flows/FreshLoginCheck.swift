internal import JOSE
internal import Minting
internal import Providers
internal import Standards
internal import Verification

/// Requests and checks a fresh login at a provider, with which a person reauthenticates.
struct FreshLoginCheck: Sendable {
    let time: TimeSource

    /// Returns the flow for the authorization request at a provider.
    ///
    /// - Parameters:
    ///   - named: The flow that the application names. If it is `nil`, the flow is the provider's default or, to
    ///     reauthenticate, one that can request a fresh login.
    ///   - purpose: The purpose of the flow; `nil` to sign in.
    /// - Throws: ``Refusal/unknownFlow(at:)``, or ``Refusal/freshLoginUnsupported``.
    func flow(
        _ named: String?, for purpose: AccountIntent.Purpose?, at provider: Provider
    ) throws -> String {
        if let named, provider.protocols[named] == nil { throw Refusal.unknownFlow(at: provider) }
        guard purpose == .reauthenticate else { return named ?? provider.defaultFlow }
        guard let flow = provider.flowForFreshLogin(named) else { throw Refusal.freshLoginUnsupported }
        return flow
    }

    /// Refuses an identity that reauthenticates without evidence of a login since `began`.
    ///
    /// OpenID Connect Core §3.1.3.7 (13): if `max_age` was requested, `auth_time` is the evidence, and §2 makes it a
    /// required claim then. If a provider omits it, the login is not proven.
    ///
    /// - Parameters:
    ///   - intent: The intent of the flow. Only an intent to reauthenticate is checked.
    ///   - began: The earliest time of the login.
    ///   - binding: The binding of the flow that requested the login. It is `nil` for a credential that an application
    ///     posts; then only the time in the ID token is evidence.
    /// - Throws: A refusal for ``Reason/tooOld``, ``Refusal/freshLoginUnproven`` or
    ///   ``Refusal/freshLoginUnsupported``.
    func check(
        _ identity: VerifiedIdentity, for intent: AccountIntent?, since began: NumericDate,
        bound binding: FlowBinding?, at provider: Provider
    ) throws {
        guard intent?.purpose == .reauthenticate else { return }
        guard let at = identity.authenticatedAt else {
            switch Self.evidence(of: binding, at: provider) {
            case .prompt: return
            case .authenticationTime: throw Refusal.freshLoginUnproven
            case nil: throw Refusal.freshLoginUnsupported
            }
        }
        let skew = provider.openIDConnect?.clockSkew ?? .seconds(60)
        guard began - skew <= at else {
            throw Refusal(
                .tooOld,
                "The last sign-in at the provider is too old. Begin again, and let the user sign in there again.",
                finding: "the user signed in at the provider at \(at.seconds), and not after \(began.seconds)")
        }
        let now = time.now()
        guard at <= now + skew else {
            throw JOSEError.issuedInFuture(at: at, now: now)
        }
    }

    private static func evidence(
        of binding: FlowBinding?, at provider: Provider
    ) -> FreshLogin.Evidence? {
        switch binding {
        case nil: .authenticationTime
        case .temporaryCredentials: provider.oauth1?.freshLogin?.evidence
        case .authorizationCode: (provider.openIDConnect?.freshLogin ?? provider.oauth2?.freshLogin)?.evidence
        }
    }

    /// Returns the claim for an identity that passed ``check(_:for:since:bound:at:)``.
    ///
    /// The time is that of the provider, but never later than the time of this server, because an application compares
    /// it with its own clock.
    func reauthentication(by identity: VerifiedIdentity) -> Reauthentication {
        identity.authenticatedAt.map { .loggedIn(at: min($0, time.now())) } ?? .prompted
    }
}
