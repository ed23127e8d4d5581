package import Firebase
internal import JOSE
internal import Jansson
internal import Standards
internal import Synchronization
internal import Transport

/// Google's signing service, for a service account without a key file.
///
/// - SeeAlso: <https://cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/signBlob>
struct RemoteSigner: Sendable {
    /// Without a path.
    let origin: String
    let email: ServiceAccountEmail
    /// The identity of the access tokens, in words.
    let caller: String
    let accessTokens: AccessTokenSource
    let transport: HTTPTransport
    let time: TimeSource
    let retries: RetryPolicy
    let limit: CallLimit

    func account() async throws(MintingError) -> String {
        guard let account = await email.find() else { throw .unknownServiceAccount }
        return account
    }

    /// Returns an RSASSA-PKCS1-v1_5 signature with SHA-256, by a key that Google chooses.
    ///
    /// Only its form is checked. The response comes over TLS from Google and names a key of the service account, which
    /// this process would have to fetch from Google as well.
    ///
    /// - Throws: ``MintingError/overloaded`` if too many calls are in progress, or Google says so.
    func signature(for message: String, by account: String) async throws(MintingError) -> [UInt8] {
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
        default: throw .refused(ServiceAccountRefusal(response, account: account, caller: caller))
        }
        guard let content = try? JSON.parse(response.body),
            let signature = content["signedBlob"]?.string.flatMap(Base64.decode),
            // A key of 2048 to 4096 bits.
            (256...512).contains(signature.count)
        else { throw .malformedResponse }
        return signature
    }

    private func accessToken(refused: Secret?) async throws(MintingError) -> Secret {
        try await wrapping(MintingError.accessToken, await accessTokens.token(refused))
    }

    private func send(
        _ message: String, account: String, token: Secret
    ) async throws(MintingError) -> OutboundResponse {
        let body = JSON.object(["payload": .string(Base64.encode(Array(message.utf8)))])
        let request = OutboundRequest(
            .post, "\(origin)/v1/projects/-/serviceAccounts/\(account):signBlob",
            header: [
                HeaderField("Authorization", "Bearer " + token.secretText),
                HeaderField("Content-Type", "application/json"),
            ],
            body: body.serialized(), timeout: .seconds(5), maximumBodyBytes: 64 * 1024)
        do {
            // It may be repeated: a signature changes nothing at Google.
            return try await retries.send(request, over: transport, time: time)
        } catch .overloaded {
            throw .overloaded
        } catch {
            throw .unreachable(error)
        }
    }
}

extension RetryPolicy {
    /// A client waits for the signature, so that the attempts end after five seconds.
    package static func forSigning(_ throttle: RetryThrottle) -> Self {
        var policy = Self(throttle)
        policy.pauses = [.milliseconds(100), .milliseconds(400)]
        policy.deadline = .seconds(5)
        return policy
    }
}

/// A limit for the number of calls that are in progress at the same time.
final class CallLimit: Sendable {
    private let maximum: Int
    private let underWay = Mutex(0)

    init(_ maximum: Int) {
        precondition(maximum > 0)
        self.maximum = maximum
    }

    /// Counts a call, or returns `false` if the limit is reached.
    ///
    /// A caller that gets `true` has to call ``end()``.
    func begin() -> Bool {
        underWay.withLock { count in
            guard count < maximum else { return false }
            count += 1
            return true
        }
    }

    func end() {
        underWay.withLock { $0 -= 1 }
    }
}
