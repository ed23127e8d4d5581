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
    case promptIgnored = "prompt-ignored"
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
    case refusedBodyAwaited = "refused-body-awaited"
    case anyHost = "any-host"
    case debugPage = "debug-page"
    // Logs
    case tokensLogged = "tokens-logged"

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

extension Mistake {
    /// What such a backend does, without the subject "the backend".
    package var sentence: String { description.sentence }

    /// The advisory, standard or paper that describes the mistake.
    package var source: String { description.source }

    private var description: (sentence: String, source: String) {
        switch self {
        case .audienceUnchecked:
            (
                "Takes an ID token whose `aud` names another application.",
                "GHSA-x6fw-778m-wr9v; CVE-2023-22482; Salt Labs 2023"
            )
        case .audienceSubstring:
            (
                "Accepts an `aud` that contains its client id as a substring.",
                "CVE-2024-53861 (the same mistake with `iss`)"
            )
        case .audienceAmongOthers:
            ("Accepts a token with several audiences without checking `azp`.", "OIDC Core 3.1.3.7")
        case .issuerUnchecked:
            ("Accepts an ID token of any issuer.", "CVE-2026-31813")
        case .issuerPrefix:
            ("Compares only the beginning of `iss`.", "CVE-2024-53861")
        case .signatureUnchecked:
            ("Decodes the ID token and never verifies it.", "CVE-2020-28042; jwt_tool -X n")
        case .noneAccepted:
            ("Accepts `alg: none`.", "RFC 8725 2.1")
        case .publicKeyAsSecret:
            (
                "Verifies HS256 with the provider's public key as secret.",
                "CVE-2016-10555; CVE-2024-33663; CVE-2026-33322"
            )
        case .emptySecret:
            ("Verifies HS256 with an empty secret, or with its client secret.", "CVE-2026-45363; CVE-2019-20933")
        case .headerKeyTrusted:
            ("Verifies with the key in the header of the token (`jwk`).", "CVE-2018-0114")
        case .headerURLFetched:
            ("Fetches the key set that the token's header names (`jku`).", "RFC 8725 3.10")
        case .criticalIgnored:
            ("Ignores `crit`.", "CVE-2025-59420; CVE-2026-35042")
        case .typeIgnored:
            ("Accepts an access token or a logout token as an ID token, despite its `typ`.", "RFC 8725 3.11")
        case .expiryUnchecked:
            ("Accepts an ID token that has expired, or that has no `exp`.", "GHSA-wxg7-w2v3-w38g")
        case .issueTimeUnchecked:
            ("Never checks `iat`.", "CVE-2020-26244")
        case .lifetimeUnbounded:
            ("Accepts an ID token with a lifetime of years.", "OIDC Core 3.1.3.7 (9); CVE-2020-26244")
        case .nonceIgnored:
            ("Never compares the nonce.", "RFC 9700 4.5.3.2")
        case .nonceOnlyIfPresent:
            ("Compares the nonce only if the ID token has one.", "FAPI2 invalid-missing-nonce")
        case .accessTokenHashIgnored:
            ("Uses the access token that comes with an ID token without comparing `at_hash`.", "OIDF invalid-athash")
        case .accessTokenHashOptional:
            ("Accepts an access token if `at_hash` is missing.", "CVE-2026-28498")
        case .lenientBase64URL:
            ("Decodes base64url leniently.", "Wycheproof json_web_signature 360-375")
        case .duplicateMembers:
            ("Reads the last of two members with the same name.", "jansson's default")
        case .notRemembered:
            ("Does not record the ID tokens that it accepted.", "CVE-2020-15222")
        case .rememberedByText:
            ("Records ID tokens by their whole text, including the signature.", "measured: ECDSA malleability")
        case .checkThenAct:
            (
                "Checks whether a credential was used, and records the use only after the sign-in.",
                "CVE-2026-53518; CVE-2026-47386"
            )
        case .forgottenAtRestart:
            ("Records used credentials only in memory.", "CVE-2026-5774; CVE-2026-9802")
        case .codeReused:
            ("Sends the same authorization code to the provider again.", "RFC 9700 4.2.4")
        case .pairReplayable:
            (
                "Accepts a pair of OAuth 1.0a without a nonce, at any time.",
                "X documentation: such a pair does not expire"
            )
        case .identitySealed:
            (
                "Accepts an identity that it sealed itself as proof, so that its seal key signs in any user.",
                "CVE-2023-27524"
            )
        case .bearerOfYahoo:
            (
                "Accepts an access token of Yahoo and requests the user of the token.",
                "Salt Labs (Grammarly, Vidio, Bukalapak)"
            )
        case .bearerOfX:
            ("Accepts an OAuth 2.0 access token of X and requests the user of the token.", "RFC 9700 4.10.2")
        case .pairUnverified:
            ("Trusts the `user_id` that the client sends with a pair of OAuth 1.0a.", "BH-EU-16; CVE-2025-30168")
        case .uidFromBody:
            ("Takes the uid from the request.", "BH-EU-16 (41 % of 600 applications)")
        case .joinedByEmail:
            ("Finds the account by e-mail address, verified or not.", "nOAuth; CVE-2026-55075")
        case .bareSubject:
            ("Uses the subject as uid, without its provider.", "RFC 8725 3.8")
        case .foldedSubject:
            ("Ignores the letter case of a subject.", "CWE-178")
        case .lookAlikeNames:
            ("Treats client ids that only look alike as equal.", "CWE-178; Unicode UAX 15")
        case .claimsCopied:
            ("Copies the ID token's claims into the custom token.", "firebase-admin's reserved claims")
        case .longLivedToken:
            ("Mints custom tokens with a lifetime of a day.", "firebase-admin token-generator")
        case .profileOfAnother:
            ("Accepts a userinfo response with another `sub`.", "OIDF userinfo-invalid-sub")
        case .stateUnchecked:
            ("Accepts a callback with any `state`, or without one.", "PROF CSRF 1-3")
        case .stateUnbound:
            (
                "Accepts a callback from another browser than the one that began the flow.",
                "CVE-2025-68158; CVE-2026-41425"
            )
        case .stateReused:
            ("Accepts a `state` again after its use.", "SUPA #2483")
        case .providerMixedUp:
            ("Takes the provider from the callback's path instead of the flow.", "RFC 9700 4.4; COAT")
        case .issuerParameterIgnored:
            ("Ignores `iss` of the authorization response.", "RFC 9207")
        case .redirectPrefix:
            ("Compares the beginning of a redirect URI.", "CVE-2026-28512; CVE-2021-21291")
        case .redirectUnchecked:
            ("Redirects to any `redirect_uri`.", "CVE-2025-4143")
        case .tokenInURL:
            ("Puts the custom token into the redirect.", "RFC 9700 4.3.2")
        case .errorReflected:
            ("Shows `error_description` on its page without escaping it.", "CVE-2026-33758")
        case .headConsumes:
            ("Lets HEAD finish a flow.", "practice")
        case .promptIgnored:
            (
                "Shows its page, or the provider's, although the request has `prompt=none`.",
                "OpenID Connect Core 3.1.2.1"
            )
        case .challengeOptional:
            ("Begins a flow without a `code_challenge`, or with `plain`.", "RFC 9700 2.1.1")
        case .verifierOptional:
            ("Checks the verifier only if one is sent.", "CVE-2023-48228")
        case .handoffReused:
            ("Accepts a handoff code again after its redemption.", "CVE-2025-46815")
        case .handoffUnbound:
            ("Redeems a handoff code for any client.", "CVE-2026-28513; CVE-2026-55672")
        case .handoffForever:
            ("Never expires handoff codes.", "RFC 9700 4.2.4")
        case .forgottenDoor:
            ("Verifies less at `/token` than at `/v1/exchange`: any audience.", "CVE-2026-9094; GHSA-7qjx-gp9h-65qj")
        case .targetIgnored:
            ("Ignores `audience` and `resource`.", "RFC 8693 2.2.2")
        case .redirectsFollowed:
            ("Follows redirects of the provider and sends its request there.", "CVE-2026-54603; CVE-2026-54605")
        case .keysFetchedAtWill:
            ("Fetches the key set again for every unknown key id.", "go-oidc #482")
        case .anyOrigin:
            ("Allows every origin.", "RFC 9700 2.6")
        case .bareHeaders:
            ("Sends pages and tokens without the fields that protect them.", "RFC 9700 4.16")
        case .inputEchoed:
            ("Repeats the input in its errors.", "RFC 6819 4.6.7")
        case .crashOnGarbage:
            ("Responds to garbage with 500 and an internal error message.", "practice")
        case .unboundedBody:
            ("Reads a body of any length.", "hummingbird's drain loop")
        case .refusedBodyAwaited:
            ("Waits for the body of a request that it has refused.", "hummingbird's drain loop; RFC 9112 9.6")
        case .anyHost:
            ("Accepts requests without `Host`, or with two.", "RFC 9112 3.2; CWE-444")
        case .debugPage:
            ("Has a page that shows its configuration.", "practice")
        case .tokensLogged:
            ("Writes whole requests to its log.", "RFC 6819 4.6.7; OSVDB-118830")
        }
    }
}
