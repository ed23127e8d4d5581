internal import JOSE
internal import Jansson
internal import OAuth
internal import Transport

/// A token as Google has just issued it.
///
///     {"access_token": "ya29.…", "expires_in": 3599, "token_type": "Bearer"}
struct IssuedAccessToken: Sendable {
    let secret: Secret
    let lifetime: Duration

    /// Asks for one, as often as the policy allows.
    static func request(
        _ request: OutboundRequest, over transport: HTTPTransport, time: TimeSource, retries: RetryPolicy
    ) async throws(AccessTokenError) -> Self {
        let response: OutboundResponse
        do {
            response = try await retries.send(request, over: transport, time: time)
        } catch {
            throw .unreachable(error)
        }
        switch response.status {
        case 200: return try Self(response.body)
        case let status where RetryPolicy.isPassing(status: status): throw .busy(status: status)
        case let status where (400...499).contains(status): throw .refused(status: status)
        default: throw .malformed
        }
    }

    private init(_ body: [UInt8]) throws(AccessTokenError) {
        guard let answer = try? JSON.parse(body), let text = answer["access_token"]?.string,
            let seconds = answer["expires_in"]?.integer, seconds > 0,
            answer["token_type"]?.string?.lowercased() == "bearer",
            // It becomes a header field (RFC 6750 §2.1).
            !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .malformed }
        secret = Secret(text)
        lifetime = .seconds(min(seconds, 86_400))
    }
}
