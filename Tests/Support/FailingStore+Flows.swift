package import JOSE
internal import SQLiteStores
package import Standards
package import Stores

extension FailingStore: Handoffs {
    package func keep(_ handoff: Handoff) async throws(StoreError) {
        try await perform(.keepHandoff, try await base.keep(handoff))
    }

    package func redeem(_ claim: HandoffClaim, at now: NumericDate) async throws(StoreError) -> HandoffOutcome {
        try await perform(.redeemHandoff, try await base.redeem(claim, at: now))
    }

    package func giveBack(_ handoff: Handoff) async throws(StoreError) {
        try await perform(.giveBackHandoff, try await base.giveBack(handoff))
    }

    package func sweepHandoffs(expiredBefore moment: NumericDate, atMost limit: Int) async throws(StoreError) -> Int {
        try await perform(.sweep, try await base.sweepHandoffs(expiredBefore: moment, atMost: limit))
    }
}

extension FailingStore: DeviceGrants {
    package func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool {
        try await perform(.keepDeviceGrant, try await base.keep(grant, as: record))
    }

    package func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)? {
        try await perform(.findDeviceGrant, try await base.deviceGrant(userCodeDigest: userCodeDigest, at: now))
    }

    package func claim(
        userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await perform(
            .changeDeviceGrant, try await base.claim(userCodeDigest: userCodeDigest, owner: owner, at: now))
    }

    package func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await perform(
            .changeDeviceGrant,
            try await base.verify(
                userCodeDigest: userCodeDigest, owner: owner, payload: payload, payloadDigest: payloadDigest, at: now))
    }

    package func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await perform(
            .changeDeviceGrant,
            try await base.approve(userCodeDigest: userCodeDigest, owner: owner, payloadDigest: payloadDigest, at: now))
    }

    package func deny(
        userCodeDigest: [UInt8], owner: [UInt8], because denial: DeviceDenial, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await perform(
            .changeDeviceGrant,
            try await base.deny(userCodeDigest: userCodeDigest, owner: owner, because: denial, at: now))
    }

    package func poll(
        _ record: SpentRecord, client: ClientID, at now: NumericDate
    ) async throws(StoreError) -> DevicePoll {
        try await perform(.pollDeviceGrant, try await base.poll(record, client: client, at: now))
    }

    package func giveBack(
        _ grant: DeviceGrant, as record: SpentRecord, payload: String
    ) async throws(StoreError) {
        try await perform(.giveBackDeviceGrant, try await base.giveBack(grant, as: record, payload: payload))
    }

    package func sweepDeviceGrants(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        try await perform(.sweep, try await base.sweepDeviceGrants(expiredBefore: moment, atMost: limit))
    }
}
