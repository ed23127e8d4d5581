import Jansson

extension GoogleStandIn {
    /// The metadata server of a machine that runs as the default account.
    func metadata(_ request: IncomingRequest, at endpoint: Endpoint) throws(Refusal) -> Answer {
        guard request.fields("metadata-flavor").map({ $0.lowercased() }) == ["google"],
            request.fields("x-forwarded-for").isEmpty
        else { throw Refusal(.text("Missing required header \"Metadata-Flavor\": \"Google\"", status: 403)) }
        var answer: Answer
        switch endpoint {
        case .googleMetadataEmail: answer = .text(defaultAccount, status: 200)
        case .googleMetadataProject: answer = .text(projectID, status: 200)
        case .googleMetadataToken:
            guard let account = serviceAccounts[defaultAccount] else {
                throw Refusal(.text("No service account.", status: 404))
            }
            let asked = request.queryParameters?["scopes"] ?? GoogleScope.cloudPlatform
            let scopes = asked.split { $0 == "," || $0 == " " }.map(String.init)
            answer = .json(Self.tokenAnswer(try issueAccessToken(to: account, scopes: Set(scopes))))
        default:
            answer = .json(
                .object([
                    "aliases": .array([.string("default")]), "email": .string(defaultAccount),
                    "scopes": .array([.string(GoogleScope.cloudPlatform)]),
                ]))
        }
        answer.header += [("Metadata-Flavor", "Google"), ("Server", "Metadata Server for VM")]
        return answer
    }
}
