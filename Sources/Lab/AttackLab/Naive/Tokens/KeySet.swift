internal import Jansson
internal import OpenSSL
internal import Transport

/// The key set of a provider, fetched when it is needed and kept for five minutes.
actor KeySet {
    typealias Keys = [(id: String?, key: PublicKey)]

    private let url: String
    private let peer: PeerClient
    private let environment: BackendEnvironment
    private var kept: (keys: Keys, until: Int64)?
    private var underWay: Task<Result<Keys, ProviderFailure>, Never>?
    /// The earliest time at which an unknown key id may cause another fetch.
    private var nextUnplanned: Int64 = 0

    init(_ url: String, peer: PeerClient, environment: BackendEnvironment) {
        self.url = url
        self.peer = peer
        self.environment = environment
    }

    /// Returns the only key that fits the token's header.
    func key(for token: SignedToken) async throws(Refusal) -> PublicKey {
        let keys = try await current()
        if let key = Self.choose(token, keys) { return key }
        // An unknown key id may be a rotated key, so the set is fetched again. But an attacker who invents key ids must
        // not cause a fetch for each of them.
        guard environment.makes(.keysFetchedAtWill) || environment.now >= nextUnplanned else { throw .unknownKey }
        nextUnplanned = environment.now + 60
        guard let key = Self.choose(token, try await fetched()) else { throw .unknownKey }
        return key
    }

    static func choose(_ token: SignedToken, _ keys: Keys) -> PublicKey? {
        guard let id = token.keyID else {
            let fitting = keys.filter { $0.key.algorithm == token.algorithm }
            return fitting.count == 1 ? fitting[0].key : nil
        }
        return keys.first { $0.id.map { same($0, id) } ?? false }?.key
    }

    /// Fetches a key set from any URL.
    static func fetch(_ url: String, peer: PeerClient) async throws(ProviderFailure) -> Keys {
        let response = try await peer.send(
            OutboundRequest(.get, url, header: [HeaderField("Accept", "application/json")]))
        guard response.status == 200 else { throw ProviderFailure(status: response.status) }
        guard let entries = (try? JSON.parse(response.body, maximumBytes: 256 * 1024))?["keys"]?.array,
            entries.count <= 50
        else { throw .refused }
        let ids = entries.compactMap { $0["kid"]?.string }
        return entries.compactMap { entry in
            let id = entry["kid"]?.string
            // If two keys have the same id, neither is used.
            guard ids.count(where: { $0 == id }) <= 1 else { return nil }
            return PublicKey(entry).map { (id, $0) }
        }
    }

    private func current() async throws(Refusal) -> Keys {
        if let kept, environment.now < kept.until { return kept.keys }
        return try await fetched()
    }

    /// Fetches the set once for all waiting requests.
    private func fetched() async throws(Refusal) -> Keys {
        let task =
            underWay
            ?? Task { [url, peer] in
                do throws(ProviderFailure) {
                    return .success(try await Self.fetch(url, peer: peer))
                } catch {
                    return .failure(error)
                }
            }
        underWay = task
        let result = await task.value
        underWay = nil
        do {
            let keys = try result.get()
            kept = (keys, environment.now + 300)
            return keys
        } catch {
            // The credential was not sent to anyone, so the request may be retried.
            throw error.refusal(isGivenBack: true)
        }
    }
}

/// A key of a provider's set (RFC 7517), for one algorithm.
enum PublicKey: Sendable {
    case p256(ECPublicKey)
    case rsa(RSAPublicKey)

    /// Returns `nil` unless the JWK is a public key for ES256 or RS256.
    init?(_ json: JSON) {
        guard json["use"] == nil || json["use"] == .string("sig"), json["d"] == nil, json["k"] == nil else {
            return nil
        }
        func octets(_ name: String) -> [UInt8]? { json[name]?.string.flatMap(Base64Text.decode) }
        switch json["kty"]?.string {
        case "EC":
            guard json["crv"] == .string("P-256"), let x = octets("x"), let y = octets("y"),
                let key = try? ECPublicKey(x: x, y: y)
            else { return nil }
            self = .p256(key)
        case "RSA":
            guard let modulus = octets("n"), let exponent = octets("e"),
                let key = try? RSAPublicKey(modulus: modulus, exponent: exponent)
            else { return nil }
            self = .rsa(key)
        default:
            return nil
        }
        guard json["alg"] == nil || json["alg"] == .string(algorithm) else { return nil }
    }

    var algorithm: String {
        switch self {
        case .p256: "ES256"
        case .rsa: "RS256"
        }
    }

    func verifies(_ token: SignedToken) -> Bool {
        let message = Array(token.signingInput.utf8)
        return switch self {
        case .p256(let key): key.isValid(signature: token.signature, for: message)
        case .rsa(let key): key.isValid(signature: token.signature, for: message)
        }
    }

    /// The key as SubjectPublicKeyInfo in PEM (RFC 5280 section 4.1.2.7).
    var pem: String {
        let der: [UInt8]
        switch self {
        case .p256(let key):
            let algorithm: [UInt8] = [
                0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48, 0xCE,
                0x3D, 0x03, 0x01, 0x07,
            ]
            der = Self.tagged(0x30, algorithm + Self.tagged(0x03, [0x00, 0x04] + key.x + key.y))
        case .rsa(let key):
            let algorithm: [UInt8] = [
                0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05, 0x00,
            ]
            let numbers = Self.tagged(0x02, [0x00] + key.modulus) + Self.tagged(0x02, key.exponent)
            der = Self.tagged(0x30, algorithm + Self.tagged(0x03, [0x00] + Self.tagged(0x30, numbers)))
        }
        return PEMText.write("PUBLIC KEY", der)
    }

    private static func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length: [UInt8] =
            count < 0x80
            ? [UInt8(count)] : count < 0x100 ? [0x81, UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }
}
