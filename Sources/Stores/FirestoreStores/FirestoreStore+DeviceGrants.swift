package import JOSE
package import Standards
package import Stores

extension FirestoreStore: DeviceGrants {
    package func keep(_ grant: DeviceGrant, as record: SpentRecord) async throws(StoreError) -> Bool {
        let epoch = try await firstStart().epoch
        return try await transaction { session async throws(StoreError) in
            try await session.keep(grant, as: record, .pending, payload: nil, epoch) ? .keep(true) : .undo(false)
        }
    }

    package func deviceGrant(
        userCodeDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> (grant: DeviceGrant, state: DeviceGrantState)? {
        let epoch = try await firstStart().epoch
        return try await read { session async throws(StoreError) in
            try await session.device(userCodeDigest, at: now, epoch).map { ($0.grant, $0.state) }
        }
    }

    package func claim(
        userCodeDigest: [UInt8], owner: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(userCodeDigest, at: now) { device in
            guard device.isOpen(to: owner) else { return false }
            device.state = .claimed
            device.owner = owner
            device.payload = nil
            device.payloadDigest = nil
            return true
        }
    }

    package func verify(
        userCodeDigest: [UInt8], owner: [UInt8], payload: String, payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(userCodeDigest, at: now) { device in
            guard device.state == .claimed, device.owner == owner else { return false }
            device.state = .verified
            device.payload = payload
            device.payloadDigest = payloadDigest
            return true
        }
    }

    package func approve(
        userCodeDigest: [UInt8], owner: [UInt8], payloadDigest: [UInt8], at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(userCodeDigest, at: now) { device in
            guard device.state == .verified, device.owner == owner, device.payloadDigest == payloadDigest
            else { return false }
            device.state = .approved
            return true
        }
    }

    package func deny(
        userCodeDigest: [UInt8], owner: [UInt8], because denial: DeviceDenial, at now: NumericDate
    ) async throws(StoreError) -> Bool {
        try await change(userCodeDigest, at: now) { device in
            guard device.isOpen(to: owner) else { return false }
            device.state = .denied
            device.owner = owner
            device.payload = denial.text
            return true
        }
    }

    /// Changes a grant that has not expired.
    ///
    /// - Parameter body: The change. It returns `false` if the state of the grant does not permit it.
    /// - Returns: Whether the grant was changed.
    private func change(
        _ userCodeDigest: [UInt8], at now: NumericDate, _ body: (inout Device) -> Bool
    ) async throws(StoreError) -> Bool {
        let epoch = try await firstStart().epoch
        return try await transaction { session async throws(StoreError) in
            guard var device = try await session.device(userCodeDigest, at: now, epoch), body(&device)
            else { return .undo(false) }
            session.set(device.name, device.fields)
            return .keep(true)
        }
    }

    package func giveBack(
        _ grant: DeviceGrant, as record: SpentRecord, payload: String
    ) async throws(StoreError) {
        let epoch = try await firstStart().epoch
        let names = [
            DocumentName(.devices, digest: record.digest), DocumentName(.userCodes, digest: grant.userCodeDigest),
        ]
        try await givingBack(record, with: names) { session async throws(StoreError) in
            guard try await session.keep(grant, as: record, .approved, payload: payload, epoch)
            else { throw .unavailable(.other) }
        }
    }

    package func sweepDeviceGrants(
        expiredBefore moment: NumericDate, atMost limit: Int
    ) async throws(StoreError) -> Int {
        guard !expiresByItself else { return 0 }
        return try await sweep(.devices, before: moment, atMost: limit) { fields in
            fields[bytes: "user_code_digest"].map { [DocumentName(.userCodes, digest: $0)] } ?? []
        }
    }

    package func poll(
        _ record: SpentRecord, client: ClientID, at now: NumericDate
    ) async throws(StoreError) -> DevicePoll {
        let epoch = try await firstStart().epoch
        return try await transaction { session async throws(StoreError) -> Outcome<DevicePoll> in
            let name = DocumentName(.devices, digest: record.digest)
            let found = try await session.document(name).flatMap { $0[bytes: "epoch"] == epoch ? $0 : nil }
            guard let found, var device = try Optional(Device(name, found)), device.grant.client == client
            else { return .undo(try await session.isSpent(record) ? .replayed : .unknown) }
            guard now < device.grant.expiresAt else { return .undo(.expired) }
            switch device.state {
            case .pending, .claimed, .verified:
                guard
                    let (poll, interval) = DevicePollInterval.counting(device.interval, since: device.polledAt, at: now)
                else { return .undo(.slowDown) }
                device.polledAt = now
                device.interval = interval
                session.set(name, device.fields)
                // A poll that is not counted does no harm, and devices poll often.
                session.needsProof = false
                return .keep(poll)
            case .approved, .denied:
                try self.requireClock(now, comparedWith: session.time)
                guard try await session.spend(record) else { return .undo(.replayed) }
                session.delete(name)
                let userCode = DocumentName(.userCodes, digest: device.grant.userCodeDigest)
                if try await session.document(userCode) != nil { session.delete(userCode) }
                guard device.state == .approved else { return .keep(.denied(DeviceDenial(text: device.payload))) }
                guard let payload = device.payload else { throw .corrupt }
                return .keep(.redeemed(device.grant, payload: payload))
            }
        }
    }
}

/// A device grant as it is stored.
private struct Device {
    let name: DocumentName
    let grant: DeviceGrant
    let epoch: [UInt8]
    var state: DeviceGrantState
    var owner: [UInt8]?
    var payload: String?
    var payloadDigest: [UInt8]?
    var interval = DevicePollInterval.initial
    var polledAt: NumericDate?

    init(_ name: DocumentName, _ grant: DeviceGrant, _ state: DeviceGrantState, payload: String?, epoch: [UInt8]) {
        self.name = name
        self.grant = grant
        self.state = state
        self.payload = payload
        self.epoch = epoch
    }

    init(_ name: DocumentName, _ fields: Fields) throws(StoreError) {
        guard let userCodeDigest = fields[bytes: "user_code_digest"], let expiresAt = fields.expiry,
            let state = fields[text: "state"].flatMap({ DeviceGrantState(rawValue: $0) }),
            let interval = fields[integer: "interval"]
        else { throw .corrupt }
        self.init(
            name,
            DeviceGrant(
                userCodeDigest: userCodeDigest, client: try fields.identifier("client"),
                provider: try fields.optionalIdentifier("provider"),
                scopes: fields[list: "scopes"].map { String(decoding: $0, as: UTF8.self) }, expiresAt: expiresAt),
            state, payload: fields[text: "payload"], epoch: fields[bytes: "epoch"] ?? [])
        owner = fields[bytes: "owner"]
        payloadDigest = fields[bytes: "payload_digest"]
        self.interval = interval
        polledAt = fields[time: "polled_at"]
    }

    var fields: Fields {
        var fields = Fields()
        fields[bytes: "user_code_digest"] = grant.userCodeDigest
        fields[text: "client"] = grant.client.text
        fields[text: "provider"] = grant.provider?.text
        fields[list: "scopes"] = grant.scopes.map { Array($0.utf8) }
        fields[text: "state"] = state.rawValue
        fields[bytes: "owner"] = owner
        fields[text: "payload"] = payload
        fields[bytes: "payload_digest"] = payloadDigest
        fields[integer: "interval"] = interval
        fields[time: "polled_at"] = polledAt
        fields[bytes: "epoch"] = epoch
        fields.setExpiry(grant.expiresAt)
        return fields
    }

    /// Whether a browser may claim or deny the grant.
    func isOpen(to browser: [UInt8]) -> Bool {
        switch state {
        case .pending: true
        case .claimed, .verified: owner == browser
        case .approved, .denied: false
        }
    }
}

extension FirestoreSession {
    fileprivate func keep(
        _ grant: DeviceGrant, as record: SpentRecord, _ state: DeviceGrantState, payload: String?, _ epoch: [UInt8]
    ) async throws(StoreError) -> Bool {
        let name = DocumentName(.devices, digest: record.digest)
        let userCode = DocumentName(.userCodes, digest: grant.userCodeDigest)
        try await prepare(name, userCode)
        guard try await document(name) == nil, try await document(userCode) == nil else { return false }
        set(name, Device(name, grant, state, payload: payload, epoch: epoch).fields)
        var fields = Fields()
        fields[text: "device"] = name.id
        fields.setExpiry(grant.expiresAt)
        set(userCode, fields)
        return true
    }

    /// The grant of a user code that has not expired.
    fileprivate func device(
        _ userCodeDigest: [UInt8], at now: NumericDate, _ epoch: [UInt8]
    ) async throws(StoreError) -> Device? {
        guard let id = try await document(DocumentName(.userCodes, digest: userCodeDigest))?[text: "device"]
        else { return nil }
        let name = DocumentName(.devices, id: id)
        guard let fields = try await document(name), fields[bytes: "epoch"] == epoch else { return nil }
        let device = try Device(name, fields)
        return now < device.grant.expiresAt ? device : nil
    }
}
