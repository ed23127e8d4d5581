/// How a protocol asks a provider for a login of now, and what its answer shows.
package struct FreshLogin: Sendable, Equatable {
    /// Parameters of the authorization request that make the person log in again.
    package let parameters: [String: String]
    package let evidence: Evidence

    /// What shows that the person logged in again.
    package enum Evidence: String, Sendable, Equatable {
        /// The claim `auth_time` of the ID token; a token without it shows nothing (OpenID Connect Core §3.1.3.7).
        case authenticationTime = "auth_time"
        /// Only that the request asked for it: the provider sends no time.
        case prompt
    }

    package init(parameters: [String: String], evidence: Evidence) {
        self.parameters = parameters
        self.evidence = evidence
    }

    /// `prompt=login` and `max_age=0` (OpenID Connect Core §3.1.2.1); the second makes `auth_time` a required claim.
    package static func openIDConnect(_ evidence: Evidence) -> Self {
        Self(parameters: ["max_age": "0", "prompt": "login"], evidence: evidence)
    }
}
