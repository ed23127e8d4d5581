import Jansson

extension YahooStandIn {
    /// The code grant's answer, and a code of its own that is still unused.
    func issue(_ order: IssueOrder.Yahoo) throws(ControlError) -> JSON {
        guard let registration = registration(of: order.application) else {
            throw .refused("There is no such application.")
        }
        let redirectURI = order.redirectURI ?? registration.redirectURIs.first ?? "oob"
        let grant = YahooGrant(
            clientID: registration.clientID, user: order.user,
            scopes: order.scope.split { $0 == " " || $0 == "," }.map(String.init), nonce: order.nonce,
            authTime: order.wantsAuthTime ? clock.now : nil)
        do throws(Refusal) {
            guard case .object(var members) = try tokens(for: grant, redirectURI: redirectURI) else {
                throw Self.error(500, "INTERNAL_ERROR", "")
            }
            members["code"] = .string(
                try issueCode(for: grant, redirectURI: redirectURI, codeChallenge: order.codeChallenge))
            members["redirect_uri"] = .string(redirectURI)
            return .object(members)
        } catch {
            throw .refused("The tokens could not be made.")
        }
    }
}
