/// What a value that travels is for.
///
/// A value of one kind never opens as another. Each kind is the unfinished state of a flow: no kind says who a person
/// is, so that the holder of a seal key can make none that signs a person in.
package enum SealedKind: String, Sendable, CaseIterable {
    /// The verifier of `POST /v1/nonce`.
    case nonce
    /// The answer of `POST /v1/signin`, which the application keeps.
    case session
    /// The page before the provider of a flow that `POST /v1/signin` began with an intent.
    case signInPage = "signin_page"
    /// A browser flow, in its cookie.
    case flow
    /// The parameters of a pushed authorization request (RFC 9126).
    case pushedRequest = "pushed_request"
    /// The browser in which device codes are entered.
    case browser
    /// The state of a device page's form.
    case deviceForm = "device_form"
}

/// What a value in the store is for.
package enum StoredKind: String, Sendable, CaseIterable {
    /// A verified identity that waits for its application.
    ///
    /// Only the verification target seals and opens it, since what opens counts as verified.
    case identity
}
