/// The id of a provider, as the configuration of the server and Firebase name it.
public struct Provider: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Names a provider of the server's configuration, such as `Provider("line")`.
    public init(_ id: String) { rawValue = id }

    public init(stringLiteral id: String) { rawValue = id }

    /// Yahoo.
    public static let yahoo: Provider = "yahoo.com"
    /// X, whose id at Firebase is `twitter.com`.
    public static let x: Provider = "twitter.com"
    /// X, under the name that Firebase uses.
    public static let twitter = x
    /// An address and a password at Firebase, as the conflict of an account and its identities name them.
    ///
    /// The Firebase SDK signs in with them, and this library does not.
    public static let password: Provider = "password"
    /// The value of ``SignInResult/provider`` for an account without any identity.
    public static let anonymous: Provider = "anonymous"
}
