package import Stores

/// What was asked of a store.
package enum StoreCall: Sendable, Equatable {
    case spend([SpentKind])
    case giveBack([SpentKind])
    case account
    case retire
    case sweep
    case check
}
