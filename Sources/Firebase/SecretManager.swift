package import JOSE
internal import Jansson
internal import Standards
package import Transport

/// Google's Secret Manager, version 1 of its REST API.
package struct SecretManager: Sendable {
    /// What a version of a secret contains.
    package struct Version: Sendable {
        /// The name of the version with its number: `projects/my-project/secrets/seal-key/versions/7`.
        package let name: String
        /// The payload, at most 64 KiB.
        package let payload: [UInt8]
    }

    private let origin: String
    private let tokens: AccessTokenSource
    private let transport: HTTPTransport
    private let time: TimeSource
    private let retries: RetryPolicy

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - origin: `https://secretmanager.googleapis.com`, without a slash at the end.
    ///   - tokens: The access tokens of the identity that may read the secrets.
    package init(
        origin: String, tokens: AccessTokenSource, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy
    ) {
        self.origin = origin
        self.tokens = tokens
        self.transport = transport
        self.time = time
        self.retries = retries
    }

    /// Reads a version of a secret.
    ///
    ///     {"name": "projects/123/secrets/seal-key/versions/7",
    ///      "payload": {"data": "aHVudGVyMg==", "dataCrc32c": "1989166316"}}
    ///
    /// - Parameters:
    ///   - version: The number of the version, an alias of one, or `latest`.
    ///   - secret: The id of the secret.
    ///   - project: The id of the project.
    package func access(
        _ version: String, of secret: String, in project: String
    ) async throws(SecretManagerError) -> Version {
        let parent = "secrets/" + PercentEncoding.encode(secret)
        let place = "projects/\(PercentEncoding.encode(project))/\(parent)/versions/\(PercentEncoding.encode(version))"
        let url = "\(origin)/v1/\(place):access"
        var response = try await get(url, refused: nil)
        if response.0.status == 401 { response = try await get(url, refused: response.1) }
        guard response.0.status == 200 else { throw SecretManagerError(response.0) }
        guard let answer = try? JSON.parse(response.0.body, maximumBytes: Self.maximumBodyBytes),
            let number = answer["name"]?.string?.split(separator: "/").last, !number.isEmpty,
            number.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            // proto3's JSON mapping has int64 as decimal text, and accepts numbers too.
            let checksum = answer["payload"]?["dataCrc32c"].flatMap({ $0.integer ?? $0.string.flatMap { Int64($0) } }),
            let payload = Base64.decode(answer["payload"]?["data"]?.string ?? "")
        else { throw .malformed }
        guard Int64(CRC32C.checksum(of: payload)) == checksum else { throw .damaged }
        return Version(name: "projects/\(project)/\(parent)/versions/\(number)", payload: payload)
    }

    private func get(
        _ url: String, refused: Secret?
    ) async throws(SecretManagerError) -> (OutboundResponse, Secret) {
        let token = try await wrapping(SecretManagerError.accessToken, await tokens.token(refused))
        let request = OutboundRequest(
            .get, url, header: [HeaderField("Authorization", "Bearer " + token.secretText)], timeout: .seconds(5),
            maximumBodyBytes: Self.maximumBodyBytes)
        do throws(TransportError) {
            return (try await retries.send(request, over: transport, time: time), token)
        } catch {
            if case .tooLarge = error { throw .tooLarge }
            throw .unreachable(error)
        }
    }

    /// A payload has at most 64 KiB, which are 87,384 octets of base64.
    private static let maximumBodyBytes = 128 * 1024
}

/// The reason why a version of a secret cannot be read.
package enum SecretManagerError: Error, Equatable, Sendable {
    case accessToken(AccessTokenError)
    /// The last attempt received no usable response.
    case unreachable(TransportError)
    case forbidden(CallFault)
    /// There is no such secret, or no such version of it.
    case notFound
    /// The version is disabled or was destroyed.
    case notEnabled
    /// Another status, or a page in place of an answer. `words` are Google's, without credentials and addresses.
    case refused(status: Int, words: String? = nil)
    case malformed
    /// The checksum of the payload is not that of the response.
    case damaged
    case tooLarge

    /// Reads the response to a refused call, whose body may be an error of Google APIs (AIP-193).
    fileprivate init(_ response: OutboundResponse) {
        let error = (try? JSON.parse(response.body))?["error"]
        self =
            switch response.status {
            case let status where response.body.isPage: .refused(status: status)
            case 403 where !CallFault.isUnknown(error): .forbidden(CallFault(error))
            case 404: .notFound
            case 400 where error?["status"]?.string == "FAILED_PRECONDITION": .notEnabled
            case let status: .refused(status: status, words: response.googleWords())
            }
    }
}

/// The checksum CRC-32C (Castagnoli) of RFC 9260 Appendix A.
enum CRC32C {
    static func checksum(of bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~UInt32(0)) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0x82F6_3B78 : 0) }
        }
    }
}

/// The id of the project of the machine, which Google Cloud's metadata server knows.
package enum MachineProject {
    /// Fetches the id.
    ///
    /// - Parameter origin: The metadata server, without a path.
    /// - Returns: The id; `nil` if the answer has none.
    /// - Throws: The error of the last attempt.
    package static func find(
        origin: String, transport: HTTPTransport, time: TimeSource, retries: RetryPolicy
    ) async throws(TransportError) -> String? {
        let request = MetadataServer.request(path: "project/project-id", origin: origin)
        let response = try await retries.send(request, over: transport, time: time)
        guard response.status == 200, let text = String(validating: response.body, as: UTF8.self) else { return nil }
        let id = text.hasSuffix("\n") ? String(text.dropLast()) : text
        let isID =
            id.utf8.first.map { (0x61...0x7A).contains($0) } == true && id.utf8.count <= 64
            && id.utf8.allSatisfy {
                (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "-.:".utf8.contains($0)
            }
        return isID ? id : nil
    }
}
