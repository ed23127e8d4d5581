/// A mistake that published backends make, and that `token-exchange-lab naive` makes on demand.
///
/// The raw value is the mistake's name on the command line. An ``Attack`` names those that it finds.
package enum Mistake: String, CaseIterable, Sendable, Comparable {
    // ID token
    case audienceUnchecked = "audience-unchecked"
    case audienceSubstring = "audience-substring"
    case audienceAmongOthers = "audience-among-others"
    case issuerUnchecked = "issuer-unchecked"
    case issuerPrefix = "issuer-prefix"
    case signatureUnchecked = "signature-unchecked"
    case noneAccepted = "none-accepted"
    case publicKeyAsSecret = "public-key-as-secret"
    case emptySecret = "empty-secret"
    case headerKeyTrusted = "header-key-trusted"
    case headerURLFetched = "header-url-fetched"
    case criticalIgnored = "critical-ignored"
    case typeIgnored = "type-ignored"
    case expiryUnchecked = "expiry-unchecked"
    case issueTimeUnchecked = "issue-time-unchecked"
    case lifetimeUnbounded = "lifetime-unbounded"
    case nonceIgnored = "nonce-ignored"
    case nonceOnlyIfPresent = "nonce-only-if-present"
    case accessTokenHashIgnored = "access-token-hash-ignored"
    case accessTokenHashOptional = "access-token-hash-optional"
    case lenientBase64URL = "lenient-base64url"
    case duplicateMembers = "duplicate-members"
    // Replay
    case notRemembered = "not-remembered"
    case rememberedByText = "remembered-by-text"
    case checkThenAct = "check-then-act"
    case forgottenAtRestart = "forgotten-at-restart"
    case codeReused = "code-reused"
    case pairReplayable = "pair-replayable"
    // Seal key
    case identitySealed = "identity-sealed"
    // Audience
    case bearerOfYahoo = "bearer-of-yahoo"
    case bearerOfX = "bearer-of-x"
    case pairUnverified = "pair-unverified"
    // Identity
    case uidFromBody = "uid-from-body"
    case joinedByEmail = "joined-by-email"
    case bareSubject = "bare-subject"
    case foldedSubject = "folded-subject"
    case lookAlikeNames = "look-alike-names"
    case claimsCopied = "claims-copied"
    case longLivedToken = "long-lived-token"
    case profileOfAnother = "profile-of-another"
    // Browser flow
    case stateUnchecked = "state-unchecked"
    case stateUnbound = "state-unbound"
    case stateReused = "state-reused"
    case providerMixedUp = "provider-mixed-up"
    case issuerParameterIgnored = "issuer-parameter-ignored"
    case redirectPrefix = "redirect-prefix"
    case redirectUnchecked = "redirect-unchecked"
    case tokenInURL = "token-in-url"
    case errorReflected = "error-reflected"
    case headConsumes = "head-consumes"
    // PKCE
    case challengeOptional = "challenge-optional"
    case verifierOptional = "verifier-optional"
    // Handoff
    case handoffReused = "handoff-reused"
    case handoffUnbound = "handoff-unbound"
    case handoffForever = "handoff-forever"
    // Token exchange
    case forgottenDoor = "forgotten-door"
    case targetIgnored = "target-ignored"
    // Out
    case redirectsFollowed = "redirects-followed"
    case keysFetchedAtWill = "keys-fetched-at-will"
    // HTTP
    case anyOrigin = "any-origin"
    case bareHeaders = "bare-headers"
    case inputEchoed = "input-echoed"
    case crashOnGarbage = "crash-on-garbage"
    case unboundedBody = "unbounded-body"
    case anyHost = "any-host"
    case debugPage = "debug-page"
    // Logs
    case tokensLogged = "tokens-logged"

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}
