/// The id of a provider, as the configuration of the server and Firebase name it.
public struct Provider: RawRepresentable, Sendable, Hashable, ExpressibleByStringLiteral {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// Names a provider of the server's configuration, such as `Provider("line")`.
    public init(_ id: String) { rawValue = id }

    public init(stringLiteral id: String) { rawValue = id }

    /// Yahoo.
    public static let yahoo: Provider = "yahoo.com"
    /// X (Twitter).
    public static let twitter: Provider = "twitter.com"
    /// The value of ``SignInResult/provider`` for an account without any identity.
    public static let anonymous: Provider = "anonymous"
}
