internal import JOSE
package import OAuth
internal import Providers
internal import Sealing
internal import Stores
internal import Verification

extension Corridor {
    private static let deviceGrantLifetime = Duration.seconds(600)

    /// Begins a device grant (RFC 8628 §3.1).
    ///
    /// - `parameters`: `client_id`; `provider` and `scope` where the application names them.
    package func beginDevice(_ parameters: Parameters) async throws(SignInError) -> DeviceAuthorization {
        let client = try client(try client(parameters).id, for: .deviceCode)
        let scopes = try AuthorizationRequest.scopes(parameters)
        let named = try parameters["provider"].map { id throws(SignInError) in
            try admit(client.id, ProviderID(id)).1
        }
        guard (named.map { [$0] } ?? providers(of: client)).contains(where: { $0.allows(scopes: scopes, flow: nil) })
        else { throw .scopeNotAllowed }
        // Of 20^8 codes hardly any is taken; that three in a row are has another cause.
        for _ in 0..<3 {
            let (deviceCode, userCode): (Secret, UserCode)
            do {
                deviceCode = Secret(try random.unguessableText())
                userCode = try UserCode(random: random)
            } catch {
                throw .random(error)
            }
            let grant = DeviceGrant(
                userCodeDigest: userCode.digest, client: client.id.text, provider: parameters["provider"],
                scopes: scopes, expiresAt: time.now() + Self.deviceGrantLifetime)
            let isKept = try await storing { () async throws(StoreError) in
                try await deviceGrants.keep(grant, as: deviceRecord(deviceCode))
            }
            guard isKept else { continue }
            return DeviceAuthorization(
                deviceCode: deviceCode, userCode: userCode,
                expiresIn: Self.deviceGrantLifetime.components.seconds, interval: DevicePollInterval.initial)
        }
        throw .random(RandomFailure())
    }

    /// The device asks whether somebody has signed it in (RFC 8628 §3.4).
    package func redeem(
        deviceCode: Secret, client clientID: ClientID
    ) async throws(SignInError) -> SignInOutcome {
        let client = try client(clientID, for: .deviceCode)
        let record = deviceRecord(deviceCode)
        let poll = try await storing { () async throws(StoreError) in
            try await deviceGrants.poll(record, client: client.id.text, at: time.now())
        }
        switch poll {
        case .redeemed(let grant, let payload):
            guard
                let identity = identities.open(payload, for: Self.holder(client.id, userCode: grant.userCodeDigest))
            else { throw .device(.unknown) }
            return try await finished(identity, for: client) { [deviceGrants] in
                (try? await deviceGrants.giveBack(grant, as: record, payload: payload)) != nil
            }
        case .pending: throw .device(.authorizationPending)
        case .slowDown: throw .device(.slowDown)
        case .denied: throw .device(.denied)
        case .expired: throw .device(.expired)
        case .replayed: throw .device(.replayed)
        case .unknown: throw .device(.unknown)
        }
    }

    func storing<Value: Sendable>(
        _ ask: () async throws(StoreError) -> Value
    ) async throws(SignInError) -> Value {
        do {
            return try await ask()
        } catch {
            throw .store(error)
        }
    }

    /// Whom the identity of a device's person is sealed for.
    static func holder(_ client: ClientID, userCode digest: [UInt8]) -> String {
        client.text + "\0device\0" + Base64URL.encode(digest)
    }

    private func deviceRecord(_ code: Secret) -> SpentRecord {
        SpentRecord(
            .deviceCode, of: [Array(code.secretText.utf8)], issuedAt: nil, expiresAt: time.now() + Self.memory)
    }
}
