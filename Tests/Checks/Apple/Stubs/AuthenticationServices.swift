// What TokenExchangeClient uses of AuthenticationServices. The initializer with a scheme is deprecated here from the version that
// has the other one, so that a use without need is a warning; Apple says "to be deprecated".

public import Foundation

#if os(macOS)
    public import AppKit
    public typealias ASPresentationAnchor = NSWindow
#elseif !os(watchOS)
    public import UIKit
    public typealias ASPresentationAnchor = UIWindow
#endif

#if !os(tvOS) && !os(watchOS)
    #if OLDER_SDK
        public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
            func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
        }
    #else
        @MainActor public protocol ASWebAuthenticationPresentationContextProviding: NSObjectProtocol {
            func presentationAnchor(for session: ASWebAuthenticationSession) -> ASPresentationAnchor
        }
    #endif
#endif

@available(iOS 12, macOS 10.15, tvOS 16, watchOS 6.2, *)
public struct ASWebAuthenticationSessionError: CustomNSError, Sendable {
    public enum Code: Int, Sendable {
        case canceledLogin = 1
        case presentationContextNotProvided, presentationContextInvalid
    }

    public var code: Code { .canceledLogin }
    public var errorUserInfo: [String: Any] { [:] }
}

@available(iOS 12, macOS 10.15, tvOS 16, watchOS 6.2, *)
open class ASWebAuthenticationSession: NSObject {
    public typealias CompletionHandler = (URL?, (any Error)?) -> Void

    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    open class Callback: NSObject, @unchecked Sendable {
        open class func customScheme(_ customScheme: String) -> Self { fatalError() }
        open class func https(host: String, path: String) -> Self { fatalError() }
    }

    @available(iOS, introduced: 12, deprecated: 17.4)
    @available(macOS, introduced: 10.15, deprecated: 14.4)
    @available(tvOS, introduced: 16, deprecated: 17.4)
    @available(watchOS, introduced: 6.2, deprecated: 10.4)
    public init(url URL: URL, callbackURLScheme: String?, completionHandler: @escaping CompletionHandler) {}
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public init(url URL: URL, callback: Callback, completionHandler: @escaping CompletionHandler) {}

    #if !os(tvOS) && !os(watchOS)
        open weak var presentationContextProvider: (any ASWebAuthenticationPresentationContextProviding)?
    #endif
    @available(iOS 13, *)
    open var prefersEphemeralWebBrowserSession = false
    @discardableResult open func start() -> Bool { false }
    open func cancel() {}
}
