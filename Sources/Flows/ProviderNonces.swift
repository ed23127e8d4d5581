internal import Jansson
internal import Standards

/// The nonces that this server sends to OpenID Providers (OpenID Connect Core §3.1.2.1), which it recognises.
///
/// Only the session or the cookie of a flow may end the flow. A person who has seen its authorization request and its
/// redirect has the nonce and the code. Without this check that person could post both as a code of an application's own
/// flow, at a provider that needs no code verifier (`pkce: off`), and be signed in as the user.
struct ProviderNonces: Sendable {
    /// A nonce belongs to the flow of any client, because an attacker could post it as another one.
    private static let context = ""
    /// More than the length of a nonce, in bytes.
    private static let maximumLength = 256

    let seal: Seal
    let random: RandomSource

    /// Makes a nonce of about 100 characters.
    func make() throws -> String {
        let id = try random.unguessableText()
        return try seal.seal(.object(["id": .string(id)]), as: .providerNonce, for: Self.context)
    }

    /// Whether this server made the nonce.
    func contains(_ nonce: String) -> Bool {
        seal.open(nonce, as: .providerNonce, for: Self.context, upTo: Self.maximumLength) != nil
    }
}
