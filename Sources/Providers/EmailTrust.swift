/// Whether an e-mail address of this provider counts as verified.
package enum EmailTrust: String, Sendable, Equatable {
    /// Where `email_verified` is the JSON value `true`.
    case claim
    /// The provider hands out confirmed addresses only.
    case always
    case never
}
