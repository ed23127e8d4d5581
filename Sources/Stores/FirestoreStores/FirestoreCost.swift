/// What Firestore charges for one call: documents that are read, written and deleted.
package struct FirestoreCost: Sendable, Equatable {
    package let reads: Int
    package let writes: Int
    /// The documents that the call deletes.
    package var deletes = 0
    /// The documents that a TTL policy deletes later.
    package var expiring = 0

    /// The calls of a sign-in, as the tests count them at the emulator.
    package static let calls: [(name: String, cost: FirestoreCost)] = [
        (
            "recording the use of a code, and finding the account of a known person",
            FirestoreCost(reads: 2, writes: 1, expiring: 1)
        ),
        ("the same with an ID token and a nonce", FirestoreCost(reads: 2, writes: 2, expiring: 2)),
        ("redeeming a handoff", FirestoreCost(reads: 2, writes: 1, deletes: 1, expiring: 1)),
        ("poll of a device that waits", FirestoreCost(reads: 1, writes: 1)),
    ]

    /// The prices of 100,000 reads, writes and deletes in dollars, without the free quota of each day.
    package static let prices = (
        date: "November 2026", region: "the multi-region nam5", reads: 0.06, writes: 0.18, deletes: 0.02
    )

    /// The price of a thousand calls, in dollars.
    package var dollarsPerThousand: Double {
        let (_, _, reads, writes, deletes) = Self.prices
        return
            (Double(self.reads) * reads + Double(self.writes) * writes + Double(self.deletes + expiring) * deletes)
            / 100
    }
}
