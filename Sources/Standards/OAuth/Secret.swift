internal import OpenSSL

/// Text that must not appear in logs, errors and metrics: a code, a token, a client secret.
///
/// It has no `==`, is not `Codable`, and prints as `[secret elided]`. A caller reads the text through ``secretText``.
package struct Secret: Sendable {
    package let secretText: String

    package init(_ text: String) {
        secretText = text
    }

    package var isEmpty: Bool { secretText.isEmpty }

    /// Returns whether two secrets are equal, in a time that depends only on their lengths.
    package func matches(_ other: Secret) -> Bool {
        constantTimeEqual(Array(secretText.utf8), Array(other.secretText.utf8))
    }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A token that authorizes calls to the provider for a person (RFC 6749 §1.4).
///
/// It does not show for which client it was issued.
package struct AccessToken: Sendable {
    package let secret: Secret

    package init(_ text: String) {
        secret = Secret(text)
    }
}

/// A token that obtains further access tokens (RFC 6749 §1.5).
///
/// The server returns it to the application if the configuration says so, and never stores it.
package struct RefreshToken: Sendable {
    package let secret: Secret

    package init(_ text: String) {
        secret = Secret(text)
    }
}

/// The text of an ID token that is not verified yet (OpenID Connect Core §2).
package struct UnverifiedIDToken: Sendable {
    package let secret: Secret

    package init(_ text: String) {
        secret = Secret(text)
    }
}
