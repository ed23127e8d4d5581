// What the example of TokenExchangeClient uses of the Firebase SDK.

public import Foundation

public final class User: NSObject, @unchecked Sendable {
    public func getIDToken(forcingRefresh: Bool = false) async throws -> String { "" }
    public var uid: String { "" }
}

public final class AuthDataResult: NSObject, @unchecked Sendable {
    public var user: User { fatalError() }
}

public final class Auth: NSObject, @unchecked Sendable {
    public class func auth() -> Auth { fatalError() }
    public var currentUser: User? { nil }
    @discardableResult public func signIn(withCustomToken token: String) async throws -> AuthDataResult { fatalError() }
}
