// What TokenExchangeClient uses of AppKit.

public import Foundation

@MainActor open class NSResponder: NSObject {}
@MainActor open class NSWindow: NSResponder {}

@MainActor open class NSApplication: NSResponder {
    public final class var shared: NSApplication { fatalError() }
    public final var keyWindow: NSWindow? { nil }
    public final var mainWindow: NSWindow? { nil }
    public final var windows: [NSWindow] { [] }
}
