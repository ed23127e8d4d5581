/// Where the stand-ins listen: origins such as `http://127.0.0.1:49152`, without a trailing slash.
package struct SandboxAddresses: Sendable, Equatable {
    /// Also the issuer of its ID tokens.
    package let yahoo: String
    /// Both `api.x.com` and `x.com`.
    package let x: String
    /// All of Google's hosts, and the metadata server.
    package let google: String
    package let control: String
    /// A server of the attacker's.
    package let hostile: String
}
