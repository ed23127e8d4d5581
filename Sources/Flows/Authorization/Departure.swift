internal import JOSE
internal import Jansson
internal import OAuth
internal import Stores

/// A flow of `POST /v1/signin` with an intent that waits for its person to press a button.
///
/// The application holds the session already; only the way to the provider is here.
struct Departure {
    let id: String
    let expiresAt: NumericDate
    let client: ClientID
    let provider: ProviderID
    /// One of the client's, to which the provider's answer goes.
    let redirectURI: String
    /// The protocol of the provider.
    let flow: String
    let purpose: AccountIntent.Purpose
    let account: AccountName
    /// The query behind the provider's authorization endpoint.
    ///
    /// The endpoint is the configuration's, so that a forged seal leads nowhere else.
    let query: String
    /// The parameters behind the redirect URI if the person presses "cancel", as the provider would send them.
    let refusal: String

    /// The record that makes it good for one way to the page.
    var record: SpentRecord {
        SpentRecord(
            .pushedRequest, of: [Array(id.utf8)], issuedAt: expiresAt - SealedSession.lifetime,
            expiresAt: expiresAt + .seconds(60))
    }

    var json: JSON {
        .object([
            "id": .string(id), "exp": .integer(expiresAt.seconds), "client_id": .string(client.text),
            "provider": .string(provider.text), "redirect_uri": .string(redirectURI), "flow": .string(flow),
            "intent": .string(purpose.rawValue), "account": account.json, "query": .string(query),
            "refusal": .string(refusal),
        ])
    }

    init(
        id: String, expiresAt: NumericDate, client: ClientID, provider: ProviderID, redirectURI: String,
        flow: String, purpose: AccountIntent.Purpose, account: AccountName, query: String, refusal: String
    ) {
        self.id = id
        self.expiresAt = expiresAt
        self.client = client
        self.provider = provider
        self.redirectURI = redirectURI
        self.flow = flow
        self.purpose = purpose
        self.account = account
        self.query = query
        self.refusal = refusal
    }

    init?(_ content: JSON) {
        guard
            let id = content["id"]?.string, let expiry = content["exp"]?.integer,
            let client = content["client_id"]?.string, let provider = content["provider"]?.string,
            let redirectURI = content["redirect_uri"]?.string, let flow = content["flow"]?.string,
            let purpose = content["intent"]?.string.flatMap(AccountIntent.Purpose.init),
            let account = content["account"].flatMap(AccountName.init),
            let query = content["query"]?.string, let refusal = content["refusal"]?.string
        else { return nil }
        self.init(
            id: id, expiresAt: NumericDate(expiry), client: ClientID(client), provider: ProviderID(provider),
            redirectURI: redirectURI, flow: flow, purpose: purpose, account: account, query: query, refusal: refusal)
    }
}
