// What TokenExchangeClient uses of Dispatch.

public final class DispatchQueue: Sendable {
    public init(label: String) {}
}

public protocol DispatchSourceProtocol: AnyObject {
    func setEventHandler(handler: (() -> Void)?)
    func setCancelHandler(handler: (() -> Void)?)
    func activate()
    func cancel()
}

public protocol DispatchSourceRead: DispatchSourceProtocol {}
public protocol DispatchSourceWrite: DispatchSourceProtocol {}

public enum DispatchSource {
    public static func makeReadSource(
        fileDescriptor: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceRead { fatalError() }
    public static func makeWriteSource(
        fileDescriptor: Int32, queue: DispatchQueue? = nil
    ) -> any DispatchSourceWrite { fatalError() }
}
