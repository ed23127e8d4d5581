import Exchange
import Providers
import Standards
import Support
import Transport

/// A deployment for redeeming codes of one provider.
struct Redemption {
    enum Server: String, CaseIterable, Sendable {
        /// OpenID Connect with `client_secret_basic`.
        case yahoo
        /// OpenID Connect with `client_secret_post`.
        case generic
        /// OAuth 2.0 without OpenID Connect.
        case x
    }

    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"

    let deployment: Deployment
    let server: Server

    init(_ server: Server = .yahoo) throws {
        deployment = try Deployment()
        self.server = server
        switch server {
        case .yahoo: try deployment.scriptYahoo(.yahoo(nonce: "n"))
        case .generic: try deployment.scriptGeneric(.generic(nonce: "n"))
        case .x: deployment.scriptX()
        }
    }

    var endpoint: String {
        switch server {
        case .yahoo: Yahoo.token
        case .generic: Generic.token
        case .x: X.token
        }
    }

    /// The token requests so far.
    var requests: [OutboundRequest] { deployment.peer.requests(to: endpoint) }

    func script(_ answers: ScriptedAnswer) {
        deployment.peer.script(.post, endpoint, answers)
    }

    func redeem(
        code: String = "x2tzunc", redirectURI: String = DeploymentPlan.redirectURI, verifier: String? = Self.verifier
    ) async throws -> ProviderTokens {
        let grant = AuthorizationGrant(
            code: Secret(code), redirectURI: redirectURI, codeVerifier: verifier.flatMap(CodeVerifier.init))
        let exchanger = deployment.exchanger
        switch server {
        case .yahoo:
            let protocolOfYahoo = try deployment.openIDConnect(of: deployment.yahoo)
            return try await exchanger.exchange(grant, with: protocolOfYahoo, of: deployment.yahoo)
        case .generic:
            let protocolOfGeneric = try deployment.openIDConnect(of: deployment.generic)
            return try await exchanger.exchange(grant, with: protocolOfGeneric, of: deployment.generic)
        case .x:
            return try await exchanger.exchange(grant, with: deployment.xOAuth2, of: deployment.x)
        }
    }
}
