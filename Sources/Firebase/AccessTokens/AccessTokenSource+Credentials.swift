internal import Foundation
package import JOSE
internal import Jansson
internal import Standards
package import Transport

extension AccessTokenSource {
    /// Fetches tokens for the credentials of a file, without a service account key.
    ///
    /// - Parameters:
    ///   - userEndpoint: The URL that redeems the refresh token of a person.
    ///   - inputs: The files and variables of this machine.
    /// - Returns: The source, with a cache.
    package static func credentials(
        _ credentials: GoogleCredentials, scopes: [String], userEndpoint: String, inputs: CredentialInputs,
        transport: HTTPTransport, time: TimeSource, retries: RetryPolicy
    ) -> Self {
        let calls = CredentialCalls(
            userEndpoint: userEndpoint,
            machine: .init(inputs: inputs, transport: transport, time: time, retries: retries))
        return cached(time: time) { () async throws(AccessTokenError) in
            guard let impersonation = credentials.impersonation else {
                return try await calls.token(of: credentials.source, scopes: scopes)
            }
            let first = try await calls.token(of: credentials.source, scopes: [Self.cloudPlatform])
            return try await calls.token(of: impersonation, with: first.secret, scopes: scopes)
        }
    }

    private static let cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"
}

/// The calls that turn credentials into an access token.
private struct CredentialCalls: Sendable {
    let userEndpoint: String
    let machine: SubjectTokenSource.Machine

    func token(
        of source: GoogleCredentials.Source, scopes: [String]
    ) async throws(AccessTokenError) -> IssuedAccessToken {
        switch source {
        case .externalAccount(let account):
            let subject = try await wrapping(
                AccessTokenError.subjectToken, await account.subjectToken.token(machine))
            // RFC 8693 §2.1.
            return try await post(
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("audience", account.audience),
                    ("scope", scopes.joined(separator: " ")),
                    ("requested_token_type", "urn:ietf:params:oauth:token-type:access_token"),
                    ("subject_token", subject), ("subject_token_type", account.subjectTokenType),
                ], to: account.tokenURL)
        case .authorizedUser(let clientID, let clientSecret, let refreshToken):
            // RFC 6749 §6.
            return try await post(
                [
                    ("grant_type", "refresh_token"), ("client_id", clientID),
                    ("client_secret", clientSecret.secretText), ("refresh_token", refreshToken.secretText),
                ], to: userEndpoint)
        }
    }

    private func post(
        _ form: [(name: String, value: String)], to url: String
    ) async throws(AccessTokenError) -> IssuedAccessToken {
        let request = OutboundRequest(
            .post, url, header: [HeaderField("Content-Type", "application/x-www-form-urlencoded")],
            body: Array(Parameters(form).encoded.utf8), timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
        return try await IssuedAccessToken.request(
            request, over: machine.transport, time: machine.time, retries: machine.retries)
    }

    /// Calls `generateAccessToken`.
    ///
    ///     {"accessToken": "ya29.…", "expireTime": "2026-11-24T16:00:00Z"}
    func token(
        of account: GoogleCredentials.Impersonation, with token: Secret, scopes: [String]
    ) async throws(AccessTokenError) -> IssuedAccessToken {
        let body = JSON.object([
            "delegates": .array(account.delegates.map(JSON.string)), "scope": .array(scopes.map(JSON.string)),
            "lifetime": .string("3600s"),
        ])
        let request = OutboundRequest(
            .post, account.url,
            header: [
                HeaderField("Authorization", "Bearer " + token.secretText),
                HeaderField("Content-Type", "application/json"),
            ],
            body: body.serialized(), timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
        let response = try await wrapping(
            AccessTokenError.unreachable,
            await machine.retries.send(request, over: machine.transport, time: machine.time))
        switch response.status {
        case 200: break
        case let status where RetryPolicy.isTemporary(status: status): throw .busy(status: status)
        default:
            throw .impersonationRefused(
                ServiceAccountRefusal(response, account: account.email, caller: "the identity of google_credentials"))
        }
        guard let answer = try? JSON.parse(response.body), let text = answer["accessToken"]?.string,
            let expiry = answer["expireTime"]?.string.flatMap(Self.time),
            case let seconds = expiry.seconds - machine.time.now().seconds,
            let issued = IssuedAccessToken(text, seconds: seconds)
        else { throw .malformed }
        return issued
    }

    /// Reads a time of RFC 3339 in UTC, and ignores the fraction of the second.
    private static func time(_ text: String) -> NumericDate? {
        let whole = text.prefix { $0 != "." && $0 != "Z" }
        guard text.hasSuffix("Z"), let date = try? Date(String(whole) + "Z", strategy: .iso8601) else { return nil }
        return NumericDate(Int64(date.timeIntervalSince1970))
    }
}
