// What the example of TokenExchangeClient uses of the Firebase SDK.

public import Foundation

public final class AppCheckToken: NSObject, @unchecked Sendable {
    public var token: String { "" }
}

public final class AppCheck: NSObject, @unchecked Sendable {
    public class func appCheck() -> AppCheck { fatalError() }
    public func token(forcingRefresh: Bool) async throws -> AppCheckToken { fatalError() }
}
