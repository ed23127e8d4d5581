internal import Providers
package import Standards

/// Chooses the protocol of an authorization request, which ``ProviderRequests`` makes, and hands the provider's response
/// to the ``Pipeline``.
///
/// Every flow through a provider's page uses it, with a redirect URI of this server or of the application.
struct ProviderAuthorization: Sendable {
    let requests: ProviderRequests
    let pipeline: Pipeline
    let freshLogin: FreshLoginCheck

    /// Returns the endpoints of an OpenID Provider, which discovery may have to fetch.
    func endpoints(of openIDConnect: OpenIDConnect) async throws -> OpenIDConnectEndpoints {
        try await requests.endpoints(of: openIDConnect)
    }

    /// Makes the authorization request of a flow.
    ///
    /// - Returns: The URL to send the person to, and the binding that the provider's response will be checked against.
    func begin(
        _ request: SignInRequest, at provider: Provider
    ) async throws -> (url: String, binding: FlowBinding) {
        let flow = try freshLogin.flow(request.flow, for: request.purpose, at: provider)
        guard let signInProtocol = provider.protocols[flow] else { throw Refusal.unknownFlow }
        return try await requests.begin(request, with: signInProtocol, at: provider)
    }

    /// `true` if a `prompt` forbids every page (OpenID Connect Core §3.1.2.1).
    static func isSilent(_ prompt: String?) -> Bool {
        prompt?.utf8.split(separator: UInt8(ascii: " ")).contains { $0.elementsEqual("none".utf8) } ?? false
    }
}

/// The request to begin a flow at a provider.
package struct SignInRequest: Sendable {
    package let client: ClientID
    package let provider: ProviderID
    package let redirectURI: String
    /// The scopes beyond the configured ones.
    package let scopes: [String]
    /// Further parameters of the authorization request.
    package let parameters: [String: String]
    /// The flow of the provider; `nil` for its default flow.
    package let flow: String?
    /// The purpose of the flow; `nil` for a sign-in.
    package let purpose: AccountIntent.Purpose?

    package init(
        client: ClientID, provider: ProviderID, redirectURI: String, scopes: [String], parameters: [String: String],
        flow: String?, purpose: AccountIntent.Purpose? = nil
    ) {
        self.client = client
        self.provider = provider
        self.redirectURI = redirectURI
        self.scopes = scopes
        self.parameters = parameters
        self.flow = flow
        self.purpose = purpose
    }
}
