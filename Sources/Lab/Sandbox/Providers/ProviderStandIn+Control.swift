import Jansson

extension ProviderStandIn {
    /// Issues the tokens of a code grant, and another code that is still unused.
    func issue(_ command: IssueCommand.Provider) throws(ControlError) -> JSON {
        let provider = command.provider
        guard let registration = registration(of: command.application, at: provider) else {
            throw .refused("The application does not exist.")
        }
        let redirectURI = command.redirectURI ?? registration.redirectURIs.first ?? ""
        let grant = ProviderGrant(
            provider: provider, clientID: registration.clientID, user: command.user,
            scopes: command.scope?.split(separator: " ").map(String.init) ?? provider.scopes.sorted(),
            nonce: command.nonce, hasClaims: true)
        do throws(Refusal) {
            guard case .object(var members) = try tokens(for: grant) else { throw Self.invalidRequest("") }
            members["code"] = .string(
                try issueCode(for: grant, redirectURI: redirectURI, codeChallenge: command.codeChallenge))
            members["redirect_uri"] = .string(redirectURI)
            return .object(members)
        } catch {
            throw .refused("The tokens could not be made.")
        }
    }
}

extension ProviderRegistration {
    var json: JSON {
        .object([
            "client_id": .string(clientID), "client_secret": .string(clientSecret),
            "redirect_uris": .array(redirectURIs.map { .string($0) }),
        ])
    }
}
