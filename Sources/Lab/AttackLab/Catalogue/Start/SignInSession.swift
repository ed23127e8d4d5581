internal import Jansson

/// What `POST /v1/signin` gave an application.
struct SignInSession: Sendable {
    let session: String
    let authorizationURL: String
    let provider: String
    let redirectURI: String

    /// The provider's `state`, in clear as the browser sees it.
    var state: String? {
        PercentEncoding.parameters(authorizationURL.drop { $0 != "?" }.dropFirst()).first { $0.name == "state" }?.value
    }
}

extension Strike {
    /// The body of `POST /v1/signin`, good in everything but `further`.
    func beginning(
        clientID: String? = nil, provider: String = "yahoo.com", redirectURI: String? = nil,
        further: [String: JSON] = [:], bearer: String? = nil
    ) -> Request {
        let usual = provider == "twitter.com" ? lab.application.xRedirectURI : lab.application.yahooRedirectURI
        let members: [String: JSON] = [
            "client_id": .string(clientID ?? lab.application.clientID), "provider": .string(provider),
            "redirect_uri": .string(redirectURI ?? usual),
        ]
        return .json("/v1/signin", .object(members.merging(further) { $1 }), bearer: bearer)
    }

    func session(
        clientID: String? = nil, provider: String = "yahoo.com", at wire: Wire? = nil
    ) async throws -> SignInSession {
        let answer = try await honest(beginning(clientID: clientID, provider: provider), at: wire)
        guard let session = answer["session"], let url = answer["authorization_url"] else {
            throw Inconclusive("POST /v1/signin gave no session.")
        }
        return SignInSession(
            session: session, authorizationURL: url, provider: provider,
            redirectURI: provider == "twitter.com" ? lab.application.xRedirectURI : lab.application.yahooRedirectURI)
    }

    /// The person allows it; the whole URL that the application catches.
    func callbackURL(of begun: SignInSession, as user: String = "alice", allow: Bool = true) async throws -> String {
        let url = try await standIns.decide(at: begun.authorizationURL, as: user, allow: allow)
        await secret(url)
        return url
    }

    /// `POST /v1/exchange` with session and callback URL.
    func ending(
        _ session: String, _ callbackURL: String, provider: String = "yahoo.com", clientID: String? = nil
    ) -> Request {
        exchange(
            ["type": "callback", "session": .string(session), "callback_url": .string(callbackURL)],
            provider: provider, clientID: clientID)
    }
}
