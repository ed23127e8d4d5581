/// A key that seals what travels, or what waits in the store: 32 bytes, which do not print themselves.
package struct SealKeySecret: Sendable, Equatable {
    package let secretBytes: [UInt8]
    package let source: SecretValue.Source

    static let byteCount = 32
}

extension SealKeySecret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
