// What TokenExchangeClient uses of the module that a file sees if it imports AuthenticationServices and SwiftUI.

public import AuthenticationServices
public import Foundation
public import SwiftUI

@available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1, *)
@MainActor public struct WebAuthenticationSession {
    public enum BrowserSession: Sendable { case ephemeral, shared }

    public func authenticate(
        using url: URL, callbackURLScheme: String, preferredBrowserSession: BrowserSession? = nil
    ) async throws -> URL { fatalError() }
    @available(iOS 17.4, macOS 14.4, tvOS 17.4, watchOS 10.4, visionOS 1.1, *)
    public func authenticate(
        using url: URL, callback: ASWebAuthenticationSession.Callback, preferredBrowserSession: BrowserSession? = nil,
        additionalHeaderFields: [String: String]
    ) async throws -> URL { fatalError() }
}

extension EnvironmentValues {
    @available(iOS 16.4, macOS 13.3, tvOS 16.4, watchOS 9.4, visionOS 1, *)
    public var webAuthenticationSession: WebAuthenticationSession { fatalError() }
}
