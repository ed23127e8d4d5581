package import Stores

package enum StoreCall: Sendable, Equatable {
    case spend([SpentKind])
    case isSpent(SpentKind)
    case giveBack([SpentKind])
    case account
    case makeAnonymous
    case bearer
    case holder
    case link
    case unlink
    case merge
    case keepHandoff
    case redeemHandoff
    case giveBackHandoff
    case keepPendingCredential
    case findPendingCredential
    case redeemPendingCredential
    case giveBackPendingCredential
    case keepDeviceGrant
    case findDeviceGrant
    case changeDeviceGrant
    case pollDeviceGrant
    case giveBackDeviceGrant
    case factors
    case changeFactors
    case removeWaitingFactor
    case expectation
    case tryFactor
    case useFactor
    case giveBackFactor
    case retire
    case sweep
    case check
}
