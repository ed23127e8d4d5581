internal import JOSE
internal import OpenSSL

/// The logo, the colour and the links on the pages of a client.
package struct Branding: Sendable, Equatable {
    package let logo: Logo?
    /// A colour on which white text is readable, as `#rrggbb`.
    package let accentColor: String?
    /// The `https` URLs of the company's own pages.
    package let privacyURL: String?
    package let termsURL: String?
    package let supportURL: String?

    /// Pages that show only the name of the client.
    package static let none = Branding(
        logo: nil, accentColor: nil, privacyURL: nil, termsURL: nil, supportURL: nil)

    package init(logo: Logo?, accentColor: String?, privacyURL: String?, termsURL: String?, supportURL: String?) {
        self.logo = logo
        self.accentColor = accentColor
        self.privacyURL = privacyURL
        self.termsURL = termsURL
        self.supportURL = supportURL
    }

    /// An image that browsers fetch from this server.
    package struct Logo: Sendable, Equatable {
        /// `image/png`, `image/jpeg` or `image/webp`.
        package let mediaType: String
        package let bytes: [UInt8]
        /// The SHA-256 of the bytes in base64url.
        ///
        /// Another image has another digest, so that browsers can keep this one.
        package let digest: String

        package init(mediaType: String, bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
            digest = Base64URL.encode(SHA256.hash(bytes))
        }
    }
}
