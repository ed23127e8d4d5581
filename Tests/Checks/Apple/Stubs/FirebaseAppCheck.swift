// What the example of TokenExchangeClient uses of the Firebase SDK, whose classes are not `Sendable`.

public import Foundation

public protocol AppCheckProviderFactory: NSObjectProtocol {}

open class AppCheckDebugProviderFactory: NSObject, AppCheckProviderFactory {}

open class AppCheckToken: NSObject {
    open var token: String { "" }
}

open class AppCheck: NSObject {
    open class func appCheck() -> AppCheck { fatalError() }
    open class func setAppCheckProviderFactory(_ factory: (any AppCheckProviderFactory)?) {}
    open func token(forcingRefresh: Bool) async throws -> AppCheckToken { fatalError() }
}
