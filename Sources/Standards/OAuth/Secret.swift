internal import OpenSSL

/// Text that must reach no log, no error and no metric: a code, a token, a client secret.
///
/// It has no `==`, is not `Codable`, and prints as `[secret elided]`; a caller reads the text through ``secretText``.
package struct Secret: Sendable {
    package let secretText: String

    package init(_ text: String) {
        secretText = text
    }

    package var isEmpty: Bool { secretText.isEmpty }

    /// Takes the same time wherever the two differ; lengths may show.
    package func matches(_ other: Secret) -> Bool {
        constantTimeEqual(Array(secretText.utf8), Array(other.secretText.utf8))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
