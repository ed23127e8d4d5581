internal import Foundation
internal import Jansson
internal import Transport

/// A provider's token endpoint and our credentials for it (RFC 6749 section 4.1.3).
struct CodeGrant: Sendable {
    let endpoint: String
    let clientID: String
    let clientSecret: String
    let provider: String
    let peer: PeerClient
    let used: SpentStore
    let environment: BackendEnvironment

    /// Redeems a code once.
    ///
    /// It is recorded as used before the provider receives it.
    func redeem(
        _ code: String, redirectURI: String, codeVerifier: String?
    ) async throws(Refusal) -> JSON {
        let name = BackendEnvironment.digest("code", provider, clientID, code)
        if !environment.makes(.codeReused) { try await used.spend([name]) }
        var form = [("grant_type", "authorization_code"), ("code", code), ("redirect_uri", redirectURI)]
        if let codeVerifier { form.append(("code_verifier", codeVerifier)) }
        let pair = Percent.encode(clientID) + ":" + Percent.encode(clientSecret)
        let request = OutboundRequest(
            .post, endpoint,
            header: [
                HeaderField("Content-Type", "application/x-www-form-urlencoded"),
                HeaderField("Accept", "application/json"),
                HeaderField("Authorization", "Basic " + Data(pair.utf8).base64EncodedString()),
            ], body: Array(Form(form.map { (name: $0.0, value: $0.1) }).encoded.utf8))
        do {
            return try tokens(try await peer.send(request))
        } catch {
            guard let trouble = error as? ProviderFailure else { throw .codeRejected }
            let isGivenBack = trouble.leavesUnspent ? await used.giveBack([name]) : false
            throw trouble.refusal(isGivenBack: isGivenBack)
        }
    }

    private struct Rejected: Error {}

    /// Reads the response of the token endpoint (RFC 6749 section 5).
    private func tokens(_ response: OutboundResponse) throws -> JSON {
        let answer = response.json
        guard response.status == 200 else {
            guard (400..<500).contains(response.status), response.status != 429, response.status != 408 else {
                throw ProviderFailure(status: response.status)
            }
            // An error about the client does not concern the code.
            let faults = [
                "invalid_client", "unauthorized_client", "invalid_client_secret", "invalid_consumer_key",
                "unsupported_grant_type",
            ]
            throw faults.contains(answer?["error"]?.string?.lowercased() ?? "") ? ProviderFailure.refusesUs : Rejected()
        }
        guard let answer, answer["error"] == nil, answer["access_token"]?.string?.isEmpty == false,
            answer["token_type"]?.string?.lowercased() == "bearer",
            answer["expires_in"] == nil || answer["expires_in"]?.integer.map({ $0 >= 0 }) == true,
            ["id_token", "refresh_token", "scope"].allSatisfy({ answer[$0] == nil || answer[$0]?.string != nil })
        else { throw ProviderFailure.unusable }
        return answer
    }
}
