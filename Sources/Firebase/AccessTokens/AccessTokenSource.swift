package import OAuth

/// Where Google access tokens come from.
package struct AccessTokenSource: Sendable {
    /// A token that is good for some seconds at least, from memory where there is one.
    ///
    /// - `refused`: a token that Google has just refused, so that it is not handed out again.
    package let token: @Sendable (_ refused: Secret?) async throws(AccessTokenError) -> Secret

    package init(token: @escaping @Sendable (_ refused: Secret?) async throws(AccessTokenError) -> Secret) {
        self.token = token
    }

    /// Always the same one, for the emulator, whose token is the word `owner`.
    package static func fixed(_ token: Secret) -> Self {
        Self { _ async throws(AccessTokenError) in token }
    }
}
