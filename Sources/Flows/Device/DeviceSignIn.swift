internal import JOSE
internal import Minting
internal import Providers
internal import SecondFactors
package import Standards
internal import Stores
internal import Verification

/// Sign-ins of devices, which a person completes in a browser of another device (RFC 8628).
package final class DeviceSignIn: Sendable {
    let registrations: Registrations
    private let pipeline: Pipeline
    let authorization: ProviderAuthorization
    let flows: SealedFlows
    let identities: IdentitySeal
    let secondFactors: SecondFactors
    let deviceGrants: any DeviceGrants
    let seal: Seal
    let time: TimeSource
    let random: RandomSource

    init(
        registrations: Registrations, pipeline: Pipeline, authorization: ProviderAuthorization, flows: SealedFlows,
        identities: IdentitySeal, secondFactors: SecondFactors, deviceGrants: any DeviceGrants, seal: Seal,
        time: TimeSource, random: RandomSource
    ) {
        self.registrations = registrations
        self.pipeline = pipeline
        self.authorization = authorization
        self.flows = flows
        self.identities = identities
        self.secondFactors = secondFactors
        self.deviceGrants = deviceGrants
        self.seal = seal
        self.time = time
        self.random = random
    }

    private static let deviceGrantLifetime = Duration.seconds(600)

    /// Begins a device grant (RFC 8628 §3.1).
    ///
    /// - Parameter parameters: `client_id`, and `provider` and `scope` if the application names them.
    /// - Returns: The device code, the user code, and how often to poll.
    /// - Throws: ``SignInError/grantNotAllowed``, ``SignInError/scopeNotAllowed``, or the error of the store.
    package func begin(_ parameters: Parameters) async throws(SignInError) -> DeviceAuthorization {
        let client = try registrations.client(try registrations.client(parameters).id, for: .deviceCode)
        let scopes = try AuthorizationRequest.scopes(parameters)
        let named = try parameters["provider"].map { id throws(SignInError) in
            try registrations.admit(client.id, ProviderID(id)).provider
        }
        guard
            (named.map { [$0] } ?? registrations.providers(of: client)).contains(where: {
                $0.allows(scopes: scopes, flow: nil)
            })
        else { throw .scopeNotAllowed }
        // There are 20^8 codes. If three random ones are in use, the random source is faulty.
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
            let isKept = try await wrapping(
                SignInError.store, await deviceGrants.keep(grant, as: deviceRecord(deviceCode)))
            guard isKept else { continue }
            return DeviceAuthorization(
                deviceCode: deviceCode, userCode: userCode,
                expiresIn: Self.deviceGrantLifetime.components.seconds, interval: DevicePollInterval.initial)
        }
        throw .random(RandomFailure())
    }

    /// Responds to the poll of a device, with a custom token after a person has approved it (RFC 8628 §3.4).
    package func redeem(
        deviceCode: Secret, client clientID: ClientID
    ) async throws(SignInError) -> SignInOutcome {
        let client = try registrations.client(clientID, for: .deviceCode)
        let record = deviceRecord(deviceCode)
        let poll = try await wrapping(
            SignInError.store, await deviceGrants.poll(record, client: client.id.text, at: time.now()))
        switch poll {
        case .redeemed(let grant, let payload):
            guard
                let kept = identities.open(payload, for: Self.holder(client.id, userCode: grant.userCodeDigest))
            else { throw .device(.unknown) }
            // The configuration may have changed since the code was issued.
            _ = try registrations.admit(client.id, kept.identity.provider)
            let giveBack = { [deviceGrants] in
                (try? await deviceGrants.giveBack(grant, as: record, payload: payload)) != nil
            }
            guard !kept.isRefused
            else { try await pipeline.refuse(kept.identity, for: client, givingBack: giveBack) }
            return try await pipeline.signIn(
                kept.identity, isLinked: kept.isLinked, proving: kept.factor.flatMap(secondFactors.open), for: client,
                givingBack: giveBack)
        case .pending: throw .device(.authorizationPending)
        case .slowDown: throw .device(.slowDown)
        case .denied(.refused): throw .device(.denied)
        case .denied(.accountExists): throw .conflictNotSettled
        case .denied(.emailDomainNotAllowed): throw .emailDomainNotAllowed
        case .denied(.blocked(let message)): throw .hook(StepFailure(.denied(message: message)))
        case .expired: throw .device(.expired)
        case .replayed: throw .singleUse(.replayed(.deviceCode))
        case .unknown: throw .device(.unknown)
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

/// Why a device is not signed in (RFC 8628 §3.5), or why its user code is refused.
package enum DeviceRefusal: Equatable, Sendable {
    case authorizationPending
    case slowDown
    case denied
    case expired
    case unknown
    /// No grant has this user code, or the grant has expired or ended.
    case unknownUserCode
    /// Another browser has confirmed it first.
    case takenUserCode
    /// The form is not one of this server for this browser and this step.
    case unknownForm
    case formExpired
    /// The form was posted before.
    case formReplayed
}
