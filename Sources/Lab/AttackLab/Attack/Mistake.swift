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

extension Mistake {
    /// What such a backend does, with the backend as the subject.
    package var sentence: String { description.sentence }

    /// Where it was seen, or who warns of it.
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
                "Finds its client id anywhere inside `aud` and is content.",
                "CVE-2024-53861 (the same mistake with `iss`)"
            )
        case .audienceAmongOthers:
            ("Takes a token for several audiences without looking at `azp`.", "OIDC Core 3.1.3.7")
        case .issuerUnchecked:
            ("Takes an ID token of any issuer.", "CVE-2026-31813")
        case .issuerPrefix:
            ("Compares the beginning of `iss` alone.", "CVE-2024-53861")
        case .signatureUnchecked:
            ("Decodes the ID token and never verifies it.", "CVE-2020-28042; jwt_tool -X n")
        case .noneAccepted:
            ("Takes `alg: none`.", "RFC 8725 2.1")
        case .publicKeyAsSecret:
            (
                "Verifies HS256 with the provider's public key as secret.",
                "CVE-2016-10555; CVE-2024-33663; CVE-2026-33322"
            )
        case .emptySecret:
            ("Verifies HS256 with an empty secret, or with its client secret.", "CVE-2026-45363; CVE-2019-20933")
        case .headerKeyTrusted:
            ("Verifies with the key that the token's own header carries (`jwk`).", "CVE-2018-0114")
        case .headerURLFetched:
            ("Fetches the key set that the token's header names (`jku`).", "RFC 8725 3.10")
        case .criticalIgnored:
            ("Ignores `crit`.", "CVE-2025-59420; CVE-2026-35042")
        case .typeIgnored:
            ("Takes an access token or a logout token, whose `typ` says so, for an ID token.", "RFC 8725 3.11")
        case .expiryUnchecked:
            ("Takes an ID token that has expired, or never does.", "GHSA-wxg7-w2v3-w38g")
        case .issueTimeUnchecked:
            ("Never looks at `iat`.", "CVE-2020-26244")
        case .lifetimeUnbounded:
            ("Takes an ID token that is good for years.", "OIDC Core 3.1.3.7 (9); CVE-2020-26244")
        case .nonceIgnored:
            ("Never compares the nonce.", "RFC 9700 4.5.3.2")
        case .nonceOnlyIfPresent:
            ("Compares the nonce only where the ID token has one.", "FAPI2 invalid-missing-nonce")
        case .accessTokenHashIgnored:
            ("Uses the access token beside an ID token without comparing `at_hash`.", "OIDF invalid-athash")
        case .accessTokenHashOptional:
            ("Passes where `at_hash` is missing.", "CVE-2026-28498")
        case .lenientBase64URL:
            ("Decodes whatever looks like base64.", "Wycheproof json_web_signature 360-375")
        case .duplicateMembers:
            ("Reads the last of two members of one name.", "jansson's default")
        case .notRemembered:
            ("Remembers no ID token that it accepted.", "CVE-2020-15222")
        case .rememberedByText:
            ("Remembers ID tokens by their text, signature and all.", "measured: ECDSA malleability")
        case .checkThenAct:
            ("Looks whether a credential was used, works, and then writes it down.", "CVE-2026-53518; CVE-2026-47386")
        case .forgottenAtRestart:
            ("Remembers in memory alone.", "CVE-2026-5774; CVE-2026-9802")
        case .codeReused:
            ("Sends the same authorization code to the provider again.", "RFC 9700 4.2.4")
        case .pairReplayable:
            ("Takes a pair of OAuth 1.0a without a nonce, for ever.", "protocols.md: such a pair does not expire")
        case .identitySealed:
            (
                "Takes an identity that it sealed itself as proof, so that its seal key signs anyone in.",
                "CVE-2023-27524"
            )
        case .bearerOfYahoo:
            ("Takes a bare access token of Yahoo and asks whose it is.", "Salt Labs (Grammarly, Vidio, Bukalapak)")
        case .bearerOfX:
            ("Takes a bare OAuth 2.0 access token of X and asks whose it is.", "RFC 9700 4.10.2")
        case .pairUnverified:
            ("Believes the `user_id` that the client sends beside a pair of OAuth 1.0a.", "BH-EU-16; CVE-2025-30168")
        case .uidFromBody:
            ("Takes the uid from the request.", "BH-EU-16 (41 % of 600 applications)")
        case .joinedByEmail:
            ("Finds the account by e-mail address, verified or not.", "nOAuth; CVE-2026-55075")
        case .bareSubject:
            ("Uses the subject as uid, without its provider.", "RFC 8725 3.8")
        case .foldedSubject:
            ("Folds the case of a subject.", "CWE-178")
        case .lookAlikeNames:
            ("Takes client ids for equal that only look alike.", "CWE-178; Unicode UAX 15")
        case .claimsCopied:
            ("Copies the ID token's claims into the custom token.", "firebase-admin's reserved claims")
        case .longLivedToken:
            ("Mints custom tokens for a day.", "firebase-admin token-generator")
        case .profileOfAnother:
            ("Takes the profile from userinfo whose `sub` is another.", "OIDF userinfo-invalid-sub")
        case .stateUnchecked:
            ("Takes a callback with any `state`, or none.", "PROF CSRF 1-3")
        case .stateUnbound:
            ("Takes a callback from another browser than the one that began.", "CVE-2025-68158; CVE-2026-41425")
        case .stateReused:
            ("Leaves `state` good after its use.", "SUPA #2483")
        case .providerMixedUp:
            ("Takes the callback's path for the provider, whatever the flow began with.", "RFC 9700 4.4; COAT")
        case .issuerParameterIgnored:
            ("Ignores `iss` of the authorization response.", "RFC 9207")
        case .redirectPrefix:
            ("Compares the beginning of a redirect URI.", "CVE-2026-28512; CVE-2021-21291")
        case .redirectUnchecked:
            ("Redirects to whatever `redirect_uri` says.", "CVE-2025-4143")
        case .tokenInURL:
            ("Puts the custom token into the redirect.", "RFC 9700 4.3.2")
        case .errorReflected:
            ("Shows `error_description` on its page as it came.", "CVE-2026-33758")
        case .headConsumes:
            ("Lets HEAD finish a flow.", "practice")
        case .challengeOptional:
            ("Begins a flow without a `code_challenge`, or with `plain`.", "RFC 9700 2.1.1")
        case .verifierOptional:
            ("Checks the verifier only where one is sent.", "CVE-2023-48228")
        case .handoffReused:
            ("Leaves a handoff code good after its redemption.", "CVE-2025-46815")
        case .handoffUnbound:
            ("Redeems a handoff code for any client.", "CVE-2026-28513; CVE-2026-55672")
        case .handoffForever:
            ("Keeps handoff codes good for ever.", "RFC 9700 4.2.4")
        case .forgottenDoor:
            ("Verifies less at `/token` than at `/v1/exchange`: any audience.", "CVE-2026-9094; GHSA-7qjx-gp9h-65qj")
        case .targetIgnored:
            ("Ignores `audience` and `resource`.", "RFC 8693 2.2.2")
        case .redirectsFollowed:
            ("Follows redirects from the provider, with what it sent.", "CVE-2026-54603; CVE-2026-54605")
        case .keysFetchedAtWill:
            ("Fetches the key set anew for every unknown key id.", "go-oidc #482")
        case .anyOrigin:
            ("Allows every origin.", "RFC 9700 2.6")
        case .bareHeaders:
            ("Sends pages and tokens without the fields that protect them.", "RFC 9700 4.16")
        case .inputEchoed:
            ("Repeats the input in its errors.", "RFC 6819 4.6.7")
        case .crashOnGarbage:
            ("Answers garbage with 500 and what went wrong inside.", "practice")
        case .unboundedBody:
            ("Reads a body of any length.", "hummingbird's drain loop")
        case .anyHost:
            ("Answers requests without a host, or with two.", "RFC 9112 3.2; CWE-444")
        case .debugPage:
            ("Has a page that shows its configuration.", "practice")
        case .tokensLogged:
            ("Writes requests into its log as they came.", "RFC 6819 4.6.7; OSVDB-118830")
        }
    }
}
