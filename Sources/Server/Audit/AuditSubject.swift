/// What a request turned out to be about, as far as it came.
///
/// Clients and providers are named only if they are configured, so that a request cannot write texts into the trail.
package struct AuditSubject: Sendable, Equatable {
    package var client: String?
    package var provider: String?
    package var audienceProof: String?
    package var uid: String?
    package var mergedUID: String?
    /// The uids of the accounts that have the verified address which this sign-in brought to an account without one.
    package var emailHeldBy: [String] = []
    /// What was wrong where the client's configuration only asks for a log.
    package var appCheck: String?

    package init() {}
}
