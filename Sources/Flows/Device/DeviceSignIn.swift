internal import JOSE
internal import Minting
internal import Providers
internal import SecondFactors
package import Standards
internal import Stores
internal import Verification

/// Sign-ins of devices, which a person completes in a browser of another device (RFC 8628).
package struct DeviceSignIn: Sendable {
    let registrations: Registrations
    let pipeline: Pipeline
    let authorization: ProviderAuthorization
    let flows: SealedFlows
    let identities: IdentitySeal
    let secondFactors: SecondFactors
    let deviceGrants: any DeviceGrants
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    private static let deviceGrantLifetime = Duration.seconds(600)

    /// Begins a device grant (RFC 8628 §3.1).
    ///
    /// - Parameter parameters: `client_id`, and `provider` and `scope` if the application names them.
    /// - Throws: ``Refusal/grantNotAllowed``, ``Refusal/scopeNotAllowed``, or the error of the store.
    package func begin(_ parameters: Parameters) async throws -> DeviceAuthorization {
        let client = try registrations.client(try registrations.client(parameters).id, for: .deviceCode)
        let scopes = try AuthorizationRequest.scopes(parameters)
        let named = try parameters["provider"].map {
            try registrations.authorize(client.id, ProviderID($0)).provider
        }
        guard
            (named.map { [$0] } ?? registrations.providers(of: client)).contains(where: {
                $0.allows(scopes: scopes, flow: nil)
            })
        else { throw Refusal.scopeNotAllowed }
        // There are 20^8 codes. If three random ones are in use, the random source is faulty.
        for _ in 0..<3 {
            let deviceCode = Secret(try random.unguessableText())
            let userCode = try UserCode(random: random)
            let grant = DeviceGrant(
                userCodeDigest: userCode.digest, client: client.id, provider: named?.id,
                scopes: scopes, expiresAt: time.now() + Self.deviceGrantLifetime)
            let isKept = try await deviceGrants.keep(grant, as: deviceRecord(deviceCode))
            guard isKept else { continue }
            return DeviceAuthorization(
                deviceCode: deviceCode, userCode: userCode,
                expiresIn: Self.deviceGrantLifetime.components.seconds, interval: DevicePollInterval.initial)
        }
        throw RandomFailure()
    }

    /// Responds to the poll of a device, with a custom token after a person has approved it (RFC 8628 §3.4).
    package func redeem(
        deviceCode: Secret, client clientID: ClientID
    ) async throws -> SignInOutcome {
        let client = try registrations.client(clientID, for: .deviceCode)
        let record = deviceRecord(deviceCode)
        let poll = try await deviceGrants.poll(record, client: client.id, at: time.now())
        switch poll {
        case .redeemed(let grant, let payload):
            guard
                let kept = identities.open(payload, for: Self.holder(client.id, userCode: grant.userCodeDigest))
            else { throw Refusal.unknownDeviceCode.unopened(.ofStore, "the identity of the device code") }
            // The configuration may have changed since the code was issued.
            _ = try registrations.authorize(client.id, kept.identity.provider)
            let proven = ProvenIdentity(
                kept, proving: kept.factor.flatMap(secondFactors.open),
                spending: SpentDeviceCode(grant: grant, record: record, payload: payload, store: deviceGrants))
            guard !proven.isRefused else { try await pipeline.refuse(proven, for: client) }
            return try await pipeline.signIn(proven, for: client)
        case .pending:
            throw Refusal(
                .authorizationPending,
                "The user has not finished the sign-in. Poll again after interval seconds.")
        case .slowDown: throw Refusal.slowDown
        case .denied(.refused):
            throw Refusal(.accessDenied, "The user denied the request. Begin again only if the user wants to.")
        case .denied(.accountExists): throw Refusal.conflictNotSettled
        case .denied(.emailDomainNotAllowed): throw Refusal.emailDomainNotAllowed
        case .denied(.blocked(let message)): throw Refusal.blockedByHook(message: message)
        case .expired: throw Refusal(.expiredToken, "The device_code is older than ten minutes. Begin again.")
        case .replayed: throw Refusal.replayed(.deviceCode)
        case .unknown: throw Refusal.unknownDeviceCode
        }
    }

    /// The holder for which the identity of a device grant is sealed.
    static func holder(_ client: ClientID, userCode digest: [UInt8]) -> String {
        client.text + "\0device\0" + Base64URL.encode(digest)
    }

    private func deviceRecord(_ code: Secret) -> SpentRecord {
        SpentRecord(
            .deviceCode, of: [Array(code.secretText.utf8)], issuedAt: nil,
            expiresAt: time.now() + SingleUse.replayRetention)
    }
}

/// The device authorization response (RFC 8628 §3.2).
package struct DeviceAuthorization: Sendable {
    package let deviceCode: Secret
    package let userCode: UserCode
    /// Seconds.
    package let expiresIn: Int64
    /// Seconds.
    package let interval: Int64
}

private struct SpentDeviceCode: SpentCredential {
    let grant: DeviceGrant
    let record: SpentRecord
    let payload: String
    let store: any DeviceGrants

    func giveBack() async -> Bool { (try? await store.giveBack(grant, as: record, payload: payload)) != nil }
}
