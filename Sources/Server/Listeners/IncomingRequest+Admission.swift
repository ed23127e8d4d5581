internal import Flows
internal import HTTPTypes
internal import Hummingbird
internal import Logging
internal import OAuth

extension IncomingRequest {
    /// Lets a client in: its web origins, and its App Check.
    ///
    /// - `client`: nil where the request names none.
    func admit(_ client: ClientID?, _ provider: ProviderID? = nil) async throws(RequestError) {
        if let client {
            notes.note(client: client, provider: provider, in: flows)
            try CORS.check(request, client: flows.clients[client])
        }
        let failure = try await asking { () async throws(SignInError) in
            try await flows.appCheck.check(appCheckToken, of: client)
        }
        if let failure {
            notes.note(appCheck: failure)
            logger.warning("app check", metadata: ["request_id": "\(requestID)", "failure": "\(failure)"])
        }
    }

    /// Nil where there are two: the one that is not looked at could be the one that counts.
    private var appCheckToken: String? {
        guard let name = HTTPField.Name("X-Firebase-AppCheck") else { return nil }
        let fields = request.headers[values: name]
        return fields.count == 1 ? fields.first : nil
    }

    func asking<Value: Sendable>(
        _ flows: () async throws(SignInError) -> Value
    ) async throws(RequestError) -> Value {
        do {
            return try await flows()
        } catch {
            throw .signIn(error)
        }
    }
}
