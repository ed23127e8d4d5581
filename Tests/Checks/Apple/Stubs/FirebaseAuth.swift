// What the example of TokenExchangeClient and the guide use of the Firebase SDK, whose classes are not `Sendable`.

public import Foundation

open class User: NSObject {
    open func getIDToken(forcingRefresh: Bool = false) async throws -> String { "" }
    open var uid: String { "" }
}

open class AuthDataResult: NSObject {
    open var user: User { fatalError() }
}

open class Auth: NSObject {
    open class func auth() -> Auth { fatalError() }
    open var currentUser: User? { nil }
    @discardableResult open func signIn(withCustomToken token: String) async throws -> AuthDataResult { fatalError() }
    open func signOut() throws {}
    open func addStateDidChangeListener(
        _ listener: @escaping (Auth, User?) -> Void
    ) -> any NSObjectProtocol { fatalError() }
    open func useEmulator(withHost host: String, port: Int) {}
}
