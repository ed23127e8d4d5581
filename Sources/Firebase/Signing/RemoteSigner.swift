internal import JOSE
internal import Jansson
internal import OAuth
internal import Transport

/// Google's own signer for a service account whose key nobody has.
///
/// - SeeAlso: <https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob>
struct RemoteSigner: Sendable {
    /// Without a path.
    let origin: String
    let email: ServiceAccountEmail
    let accessTokens: AccessTokenSource
    let transport: HTTPTransport
    let time: TimeSource
    let retries: RetryPolicy
    let limit: CallLimit

    func account() async throws(SigningFailure) -> String {
        guard let account = await email.find() else { throw .failed }
        return account
    }

    /// RSASSA-PKCS1-v1_5 with SHA-256, by a key of Google's choosing.
    ///
    /// - Throws: ``SigningFailure/overloaded`` where too many calls are under way, or Google says so.
    func signature(for message: String, by account: String) async throws(SigningFailure) -> [UInt8] {
        guard limit.begin() else { throw .overloaded }
        defer { limit.end() }
        let token = try await accessToken(refused: nil)
        var response = try await send(message, account: account, token: token)
        if response.status == 401 {
            response = try await send(message, account: account, token: try await accessToken(refused: token))
        }
        switch response.status {
        case 200: break
        case 429: throw .overloaded
        default: throw .failed
        }
        guard let answer = try? JSON.parse(response.body),
            let signature = answer["signedBlob"]?.string.flatMap(Base64.decode),
            // A key of 2048 to 4096 bits.
            (256...512).contains(signature.count)
        else { throw .failed }
        return signature
    }

    private func accessToken(refused: Secret?) async throws(SigningFailure) -> Secret {
        do {
            return try await accessTokens.token(refused)
        } catch {
            throw .failed
        }
    }

    private func send(
        _ message: String, account: String, token: Secret
    ) async throws(SigningFailure) -> OutboundResponse {
        let body = JSON.object(["payload": .string(Base64.encode(Array(message.utf8)))])
        let request = OutboundRequest(
            .post, "\(origin)/v1/projects/-/serviceAccounts/\(account):signBlob",
            header: [
                HeaderField("Authorization", "Bearer " + token.secretText),
                HeaderField("Content-Type", "application/json"),
            ],
            body: body.serialized(), timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
        do {
            // A signature may be made twice: it changes nothing.
            return try await retries.send(request, over: transport, time: time)
        } catch .overloaded {
            throw .overloaded
        } catch {
            throw .failed
        }
    }
}
