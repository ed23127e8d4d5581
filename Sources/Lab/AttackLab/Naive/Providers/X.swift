internal import Foundation
internal import Jansson
internal import OpenSSL
internal import Transport

/// Sign-in with X: OAuth 2.0 with PKCE, and OAuth 1.0a for applications that have token credentials.
struct X: Sendable {
    static let id = "twitter.com"
    static let scopes = ["tweet.read", "users.read", "users.email"]
    private static let fields = "id,name,username,profile_image_url"

    let origin: String
    let clientID: String
    let consumer: (key: String, secret: String)
    let codes: CodeGrant
    let peer: PeerClient
    let used: SpentStore
    let environment: BackendEnvironment

    var authorizationEndpoint: String { origin + "/i/oauth2/authorize" }

    func identity(code: String, redirectURI: String, codeVerifier: String?) async throws(Refusal) -> Identity {
        let tokens = try await codes.redeem(code, redirectURI: redirectURI, codeVerifier: codeVerifier)
        if let scope = tokens["scope"]?.string {
            let granted = Set(scope.split(separator: " "))
            guard granted.contains("tweet.read"), granted.contains("users.read") else {
                throw ProviderFailure.unusable.refusal(isGivenBack: false)
            }
        }
        do {
            return try await identity(bearer: tokens["access_token"]?.string ?? "", proof: "authorization_code")
        } catch {
            // The access token was just issued.
            throw error.reason == "token_rejected" ? ProviderFailure.refused.refusal(isGivenBack: false) : error
        }
    }

    /// Returns the user of an access token.
    ///
    /// X accepts a token of any application here.
    func identity(bearer: String, proof: String) async throws(Refusal) -> Identity {
        do {
            var answer = try await ask(bearer, fields: Self.fields + ",confirmed_email")
            // X shows the email address only to some applications.
            if [400, 403].contains(answer.status), !(Self.error(answer) is Refusal) {
                answer = try await ask(bearer, fields: Self.fields)
            }
            guard answer.status != 401 else { throw Refusal.tokenRejected }
            return try Self.identity(answer, proof: proof)
        } catch {
            throw (error as? ProviderFailure)?.refusal(isGivenBack: false) ?? (error as? Refusal) ?? .tokenRejected
        }
    }

    /// Returns the user of a token pair.
    ///
    /// The request is signed with our consumer key, so X refuses a pair of another consumer.
    ///
    /// `nonce` is the name that is recorded as used first, since the pair does not expire.
    func identity(token: String, secret: String, nonce: String?) async throws(Refusal) -> Identity {
        let names = [nonce].compactMap(\.self)
        try await used.spend(names)
        let field = OAuth1Field(consumer: consumer, token: (token, secret), environment: environment)
        do {
            let query = [("include_email", "true"), ("include_entities", "false"), ("skip_status", "true")]
            var answer = try await ask(field, "/1.1/account/verify_credentials.json", query)
            // The newer endpoint may be open to applications whose plan does not include this one. Suspended users are
            // refused there too.
            if [402, 403, 404, 410, 429].contains(answer.status), !(Self.error(answer) is Refusal) {
                answer = try await ask(field, "/2/users/me", [("user.fields", Self.fields)])
            }
            guard answer.status != 401 else { throw Refusal.tokenRejected }
            return try Self.identity(answer, proof: "consumer_signature")
        } catch {
            guard let trouble = error as? ProviderFailure else { throw (error as? Refusal) ?? .broken }
            throw trouble.refusal(isGivenBack: trouble.leavesUnspent ? await used.giveBack(names) : false)
        }
    }

    private func ask(_ accessToken: String, fields: String) async throws(ProviderFailure) -> OutboundResponse {
        try await peer.send(
            OutboundRequest(
                .get, origin + "/2/users/me?user.fields=" + Percent.encode(fields),
                header: [HeaderField("Authorization", "Bearer " + accessToken)]))
    }

    private func ask(_ field: OAuth1Field, _ path: String, _ query: [(String, String)]) async throws -> OutboundResponse
    {
        let signature = try field.text("GET", origin + path, query)
        let pairs = query.map { (name: $0.0, value: $0.1) }
        return try await peer.send(
            OutboundRequest(
                .get, origin + path + "?" + Form(pairs).encoded, header: [HeaderField("Authorization", signature)]))
    }

    /// Reads a user in the form of API v2 or v1.1.
    private static func identity(_ response: OutboundResponse, proof: String) throws -> Identity {
        guard response.status == 200 else { throw Self.error(response) }
        guard let answer = response.json, answer.object != nil else { throw ProviderFailure.unusable }
        let data = answer["data"] ?? answer
        // The id must be decimal digits, as text.
        guard let id = (data["id_str"] ?? data["id"])?.string, (1...20).contains(id.utf8.count),
            id.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
        else { throw ProviderFailure.unusable }
        return Identity(provider: Self.id, subject: id, profile: ProfileReader.x(data), proof: proof)
    }

    /// The failure for X's error codes of a suspended (63, 64), locked (326) or deleted (50) account, and for statuses
    /// that concern the operator.
    private static func error(_ response: OutboundResponse) -> any Error {
        let codes = (response.json?["errors"]?.array ?? []).compactMap { $0["code"]?.integer }
        switch response.status {
        case 403 where codes.contains { [63, 64, 326].contains($0) }: return Refusal.providerAccountDisabled
        case 404 where codes.contains(50): return Refusal.providerAccountDisabled
        case 402, 403: return ProviderFailure.refusesUs
        default: return ProviderFailure(status: response.status)
        }
    }
}

/// Writes the `Authorization` field of a signed request (RFC 5849 section 3).
struct OAuth1Field: Sendable {
    let consumer: (key: String, secret: String)
    let token: (value: String, secret: String)
    let environment: BackendEnvironment

    func text(_ method: String, _ url: String, _ query: [(String, String)]) throws(Refusal) -> String {
        var parameters = [
            ("oauth_consumer_key", consumer.key), ("oauth_nonce", try environment.unguessable()),
            ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", String(environment.now)),
            ("oauth_token", token.value), ("oauth_version", "1.0"),
        ]
        // Section 3.4.1.3.2: parameters are encoded, then sorted.
        let encoded = (parameters + query).map { (Percent.encode($0.0), Percent.encode($0.1)) }
        let sorted = encoded.sorted { one, other in one < other }.map { name, value in name + "=" + value }
            .joined(separator: "&")
        let base = [method, url, sorted].map(Percent.encode).joined(separator: "&")
        let key = Percent.encode(consumer.secret) + "&" + Percent.encode(token.secret)
        let code = HMACSHA1.authenticationCode(for: Array(base.utf8), key: Array(key.utf8))
        parameters.append(("oauth_signature", Data(code).base64EncodedString()))
        return "OAuth " + parameters.map { "\($0.0)=\"\(Percent.encode($0.1))\"" }.joined(separator: ", ")
    }
}
