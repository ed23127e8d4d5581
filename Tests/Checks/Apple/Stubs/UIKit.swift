// What TokenExchangeClient and its example use of UIKit.

#if !os(watchOS)
    public import Foundation

    @MainActor open class UIResponder: NSObject {}
    @MainActor open class UIView: UIResponder {}
    @MainActor open class UIWindow: UIView {}

    @MainActor open class UIScene: UIResponder {
        public enum ActivationState: Int, Sendable {
            case unattached = -1, foregroundActive, foregroundInactive, background
        }

        public final var activationState: ActivationState { .unattached }
    }

    @MainActor open class UIWindowScene: UIScene {
        public final var windows: [UIWindow] { [] }
        @available(iOS 15, tvOS 15, *)
        public final var keyWindow: UIWindow? { nil }
    }

    @MainActor open class UIApplication: UIResponder {
        @available(iOSApplicationExtension, unavailable)
        @available(tvOSApplicationExtension, unavailable)
        public final class var shared: UIApplication { fatalError() }
        public final var connectedScenes: Set<UIScene> { [] }
    }
#endif
