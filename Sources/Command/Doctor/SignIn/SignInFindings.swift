internal import Flows
internal import JOSE
internal import Jansson
internal import Providers
internal import Standards
internal import Verification

/// The findings of the steps of a sign-in.
enum SignInFindings {
    /// Whether the authorization request asked for the e-mail address.
    enum Email {
        case requested, notRequested
        /// It asked for the address, which the list at `emails.url` has.
        case listed

        /// Reads the request of an OpenID Provider, at which a scope has another name than `email`, or `claims` asks.
        init(scopes: [String], parameters: [String: String]) {
            let isRequested = (scopes + [parameters["claims"] ?? ""]).contains { $0.lowercased().contains("email") }
            self = isRequested ? .requested : .notRequested
        }
    }

    static func redeemed(_ manner: String, withAccessToken: Bool = true, of subject: String) -> Finding {
        let tokens = withAccessToken ? "tokens" : "an ID token and no usable access token"
        return Finding("sign_in.token", of: subject, .ok, "The provider issued \(tokens), \(manner).")
    }

    /// Compares the granted scopes with the requested ones.
    ///
    /// A response without `scope` grants what was requested (RFC 6749 §5.1).
    static func scopes(_ granted: String?, requested: [String], of subject: String) -> [Finding] {
        let id = "sign_in.scope"
        guard let granted else {
            return [
                Finding(
                    id, of: subject, .info,
                    "The response names no scopes, so that by RFC 6749 section 5.1 all were granted.")
            ]
        }
        // GitHub, LinkedIn and TikTok separate them by commas.
        let names = granted.split { $0 == " " || $0 == "," }.map(String.init)
        let missing = requested.filter { !names.contains($0) }
        guard missing.isEmpty else {
            return [
                Finding(
                    id, of: subject, .warning,
                    "The scopes of the response (\(names.joined(separator: " "))) lack \(missing.joined(separator: " ")).",
                    remedy:
                        "If the profile lacks nothing, the provider names that scope in another way. Otherwise add the permission to "
                        + "the registration, allow it on the provider's page, or remove the scope from the configuration."
                        + (missing.contains("users.email") ? " X needs Request email from users for users.email." : ""))
            ]
        }
        return [Finding(id, of: subject, .info, "Granted scopes: \(names.joined(separator: " ")).")]
    }

    /// The user id in the response of the token endpoint of OAuth 1.0a.
    static func userID(isPresent: Bool, of subject: String) -> Finding {
        let id = "sign_in.user_id"
        return isPresent
            ? Finding(id, of: subject, .ok, "The token endpoint names the user, so that no further call is needed.")
            : Finding(
                id, of: subject, .warning, "The token endpoint does not name the user.",
                remedy: "Each sign-in needs a further call, which the provider may charge for. Check endpoints.api.")
    }

    /// The members of a profile that the configuration reads and the answer does not have.
    ///
    /// - Parameter answer: The answer of the user endpoint.
    static func members(
        of profile: Profile, by mapping: ProfileMapping, in answer: JSON?, _ subject: String
    ) -> [Finding] {
        let places: [(name: String, place: JSONPointer?, value: String?)] = [
            ("name", mapping.name, profile.name), ("given_name", mapping.givenName, profile.givenName),
            ("family_name", mapping.familyName, profile.familyName), ("picture", mapping.picture, profile.picture),
            ("locale", mapping.locale, profile.locale),
            ("preferred_username", mapping.screenName, profile.screenName),
        ]
        let missing = places.compactMap { name, place, value in
            value == nil ? place.map { "\(name) (\($0))" } : nil
        }
        var texts: [String] = []
        if !missing.isEmpty {
            texts.append(
                "The answer has no usable \(missing.joined(separator: ", ")). The account may lack it, or its place in "
                    + "members is wrong.\(names(in: answer))")
        }
        if profile.isEmailVerified == false, let place = mapping.emailVerified {
            texts.append(
                "The address does not count as verified: by trust_email, by what the provider says of it, or because the place "
                    + "email_verified (\(place)) in members is wrong.")
        }
        return texts.map { Finding("sign_in.members", of: subject, .info, $0) }
    }

    /// A sentence with names of an answer's members, without their values; a name of another form may itself be a value.
    private static func names(in answer: JSON?) -> String {
        let names = (answer?.object ?? [:]).keys.sorted().filter { name in
            name.isPlainName || ["https://", "http://"].contains(where: name.hasPrefix)
        }
        return names.isEmpty
            ? "" : " Members of the answer are \(names.prefix(20).map(\.shown).joined(separator: ", "))."
    }

    /// The profile, of which only the presence of the address is told.
    ///
    /// - Parameter builtIn: The built-in provider with the same issuer, if the section has another id.
    static func profile(
        of identity: VerifiedIdentity, email: Email, builtIn: ProviderID? = nil, _ subject: String
    ) -> [Finding] {
        var findings: [Finding] = []
        if let refusal = identity.profileRefusal, !refusal.isTolerated {
            findings = [Self.refusal(refusal, isWhole: identity.profile.isNamedWithAddress, subject)]
            // The refusal may say why there is no address.
            guard identity.profile.email != nil else { return findings }
        }
        guard identity.profile.email != nil else {
            return [withoutEmail(email, builtIn: builtIn, subject, names(in: identity.userInfo))]
        }
        let isVerified = identity.profile.isEmailVerified == true
        return findings + [
            Finding(
                "sign_in.email", of: subject, .ok,
                "The provider sends an e-mail address, which counts as \(isVerified ? "verified" : "not verified").")
        ]
    }

    /// The finding on a call for the profile that failed, or on a part that cannot be used.
    ///
    /// - Parameter isWhole: Whether the ID token, or another answer, has a name and an address nevertheless.
    static func refusal(_ refusal: ProviderFailure, isWhole: Bool, _ subject: String) -> Finding {
        let id = "sign_in.profile"
        return isWhole && refusal.isOfCall
            ? Finding(
                id, of: subject, .warning, "A call for the profile fails: \(refusal.sentence).",
                remedy: "\(remedy(refusal)) People are signed in with the name and the address that other answers have."
            )
            : Finding(
                id, of: subject, .warning, "A part of the profile is missing: \(refusal.sentence).",
                remedy: "\(remedy(refusal)) People are signed in without that part.")
    }

    /// The finding on a profile without an address.
    ///
    /// - Parameter names: A sentence with the names of the answer's members, after a space; an empty text if there is none.
    static func withoutEmail(
        _ email: Email, builtIn: ProviderID?, _ subject: String, _ names: String = ""
    ) -> Finding {
        let way =
            builtIn.map {
                " The built-in provider \($0) has this issuer, and requests the address as its documentation demands: if no "
                    + "account has an identity of this section yet, write its id in place of this one."
            } ?? ""
        switch email {
        case .notRequested:
            return Finding(
                "sign_in.email", of: subject, .info,
                "No e-mail address is requested, or the scope for it is not granted.",
                remedy: "If accounts need one, add to scopes the one that the provider's documentation names for it: "
                    + "email with OpenID Connect. With protocol: oauth2 also write members.email, and at twitter.com request_email: "
                    + "true.\(way)")
        case .listed:
            return Finding(
                "sign_in.email", of: subject, .warning, "The list of addresses (emails.url) names no primary address.",
                remedy:
                    "Sign in with an account that has one. If it has one, compare emails.list, emails.email and emails.primary "
                    + "with the provider's documentation.")
        case .requested:
            return Finding(
                "sign_in.email", of: subject, .warning, "The provider sends no e-mail address.",
                remedy: "Sign in with an account that has a confirmed address. If there is none either, add the "
                    + "permission to the registration: Email at Yahoo, Request email from users at X. With protocol: oauth2 "
                    + "also compare members.email with the answer of the provider. If its documentation demands the "
                    + "parameter claims for the address, only a built-in provider that token-exchange providers lists can "
                    + "send it.\(way)\(names)")
        }
    }

    /// A refusal in the redirect (RFC 6749 §4.1.2.1).
    static func finding(_ refusal: ProviderRefusal, _ words: String?, of subject: String) -> Finding {
        let (text, remedy) =
            switch refusal {
            case .accessDenied:
                ("access_denied", "Allow the access. If you did, the provider refuses it for this registration.")
            case .invalidScope:
                ("invalid_scope", "Request only scopes that are among the permissions of the registration.")
            case .interactionRequired(let interaction, _):
                (interaction.rawValue, "Sign in at the provider first, and then run the command again.")
            case .refusedByProvider(let error):
                (
                    error.rawValue,
                    "Look at error and error_description in the address of the browser. " + (error.advice ?? "")
                )
            }
        return Finding(
            "sign_in.authorization", of: subject, .error,
            "The provider sent the browser back with \(text)."
                + quotation(refusal.refusal.quoting(words)),
            remedy: remedy)
    }

    /// The scopes that were requested, and those that the provider's metadata names.
    static func refusedScopes(
        _ signInProtocol: SignInProtocol, _ words: String?, of subject: String
    ) async -> Finding {
        let scopes: RefusedScopes
        switch signInProtocol {
        case .openIDConnect(let openIDConnect):
            let supported = try? await openIDConnect.endpoints().scopes
            scopes = RefusedScopes(configured: openIDConnect.scopes, requested: [], supported: supported ?? nil)
        case .oauth2(let oauth2): scopes = RefusedScopes(configured: oauth2.scopes, requested: [], supported: nil)
        case .oauth1: return finding(.invalidScope, words, of: subject)
        }
        return Finding(
            "sign_in.authorization", of: subject, .error,
            "The provider sent the browser back with invalid_scope: \(scopes.sentence)."
                + quotation(scopes.refusal.quoting(words)), remedy: scopes.advice)
    }

    /// An error of the exchange.
    static func finding(_ id: String, of subject: String, _ refusal: Refusal) -> Finding {
        let says = quotation(refusal)
        if let failure = refusal.cause as? ProviderFailure { return finding(id, of: subject, failure, says) }
        return refusal.reason == .codeRejected
            ? Finding(
                id, of: subject, .error, "The provider refuses the code.\(says)",
                remedy:
                    "Enter the address within half a minute, and do not open it a second time. If that does not help, "
                    + "compare the redirect URI and pkce with what the provider expects, and the endpoints of the section, which "
                    + "have to be of one provider.")
            : Finding(
                id, of: subject, .error, "The code cannot be redeemed: \(refusal.description)", remedy: "Try again.")
    }

    /// An error of the verification.
    static func finding(_ refusal: Refusal, _ evidence: IDTokenEvidence?, of subject: String) -> Finding {
        switch (refusal.cause, refusal.reason) {
        case (let reason as JOSEError, _):
            Finding(
                "sign_in.id_token", of: subject, .error,
                "The ID token is refused (\(reason.code))\(evidence.map { ": \($0.text)" } ?? "").",
                remedy: reason.advice ?? comparison)
        case (let mismatch as ClaimsMismatch, _):
            Finding(
                "sign_in.id_token", of: subject, .error,
                "The ID token is refused (\(mismatch.error.code))\(evidence.map { ": \($0.text)" } ?? "").",
                remedy: mismatch.advice ?? comparison)
        case (let failure as ProviderFailure, _): finding("sign_in.user", of: subject, failure, quotation(refusal))
        case (_, .tokenRejected):
            Finding(
                "sign_in.user", of: subject, .error, "The provider refuses the token that it has just issued.",
                remedy: "Check that endpoints are of one provider, and that the registration may read users.")
        default:
            Finding(
                "sign_in.user", of: subject, .error, "The identity is not proven: \(refusal.description)",
                remedy: "Try again.")
        }
    }

    private static let comparison =
        "Compare the token with the documentation of the provider. People cannot sign in with such tokens."

    /// What the provider says about a refusal, as a sentence; an empty text if it says nothing.
    static func quotation(_ refusal: Refusal) -> String { quotation(refusal.words) }

    static func quotation(_ words: String?) -> String {
        words.map { " The provider says: \(VisibleText.of($0))" } ?? ""
    }

    /// A failure of a call to the provider.
    static func finding(
        _ id: String, of subject: String, _ failure: ProviderFailure, _ says: String = ""
    ) -> Finding {
        Finding(
            id, of: subject, .error, "A call to the provider fails: \(failure.sentence).\(says)",
            remedy: remedy(failure))
    }

    private static func remedy(_ failure: ProviderFailure) -> String {
        switch failure {
        case .noAnswer(let error): failure.advice ?? error.remedy
        case .accountDisabled: "Sign in with an account that the provider has not suspended, locked or deleted."
        case .document: "Run token-exchange doctor without --sign-in."
        case _ where failure.isPassing:
            "\(failure.advice ?? "Try again later.") --sign-in shows each call as sign_in.calls."
        default:
            failure.advice
                ?? "Compare the endpoints with the documentation of the provider; --sign-in shows each call as sign_in.calls."
        }
    }
}

extension Profile {
    /// Whether both parts are present that an ID token mostly has beside userinfo.
    fileprivate var isNamedWithAddress: Bool { name != nil && email != nil }
}
