// What TokenExchangeClient uses of CryptoKit.

public import Foundation

@available(iOS 13, macOS 10.15, tvOS 15, watchOS 8, *)
public struct SHA256Digest: Sendable, Sequence {
    public func makeIterator() -> IndexingIterator<[UInt8]> { [].makeIterator() }
}

@available(iOS 13, macOS 10.15, tvOS 15, watchOS 8, *)
public struct SHA256: Sendable {
    public static func hash(data: Data) -> SHA256Digest { fatalError() }
}
