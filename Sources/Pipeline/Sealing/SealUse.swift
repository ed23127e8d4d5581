/// Where sealed values are.
///
/// Each use has keys of its own, and its keys and seals are types of their own: a value that travels cannot be opened,
/// nor made, with the keys of what lies in the store.
package protocol SealUse: Sendable {
    associatedtype Kind: RawRepresentable & Sendable where Kind.RawValue == String

    /// Stands before the kind in the `info` of HKDF (RFC 5869 §3.2), so that one secret for two uses still makes two
    /// keys.
    static var keyLabel: String { get }
}

/// Values that travel through browsers and applications.
package enum TravelUse: SealUse {
    package typealias Kind = SealedKind
    package static let keyLabel = "token-exchange seal "
}

/// Values that lie in the store.
package enum StoreUse: SealUse {
    package typealias Kind = StoredKind
    package static let keyLabel = "token-exchange store "
}

package typealias SealKey = SealingKey<TravelUse>
package typealias StoreKey = SealingKey<StoreUse>
/// Seals the state that travels with the application, so that beginning a flow writes nothing to the store.
package typealias Seal = Sealer<TravelUse>
/// Seals what waits in the store: a reader of the database does not learn it, and a writer cannot make it.
package typealias StoreSeal = Sealer<StoreUse>
