/// An endpoint that answers who a token speaks for, and how its JSON is read.
package struct UserEndpoint: Sendable, Equatable {
    package let url: String
    /// Sent as they are; with OAuth 1.0a they are signed.
    package let query: [String: String]
    /// Put in the place of `query` when the provider refuses that one.
    ///
    /// The e-mail address is lost then, not the sign-in.
    package let queryWithoutEmail: [String: String]?
    package let mapping: ProfileMapping

    package init(
        url: String, query: [String: String], queryWithoutEmail: [String: String]?, mapping: ProfileMapping
    ) {
        self.url = url
        self.query = query
        self.queryWithoutEmail = queryWithoutEmail
        self.mapping = mapping
    }
}
