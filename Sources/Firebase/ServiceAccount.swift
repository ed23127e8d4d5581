internal import Jansson
package import OpenSSL

/// The Google service account whose key signs: what the JSON file of the Google Cloud console holds.
package struct ServiceAccount: Sendable {
    package let projectID: String
    package let clientEmail: String
    /// Named as `kid` in what the key signs.
    package let privateKeyID: String?
    /// Visible in this target, and to a file that imports it with `@_spi(CustomTokenSigning)`: the signer of custom tokens.
    @_spi(CustomTokenSigning) public let privateKey: RSAPrivateKey

    /// What verifies what the key signs.
    package var publicKey: RSAPublicKey { privateKey.publicKey }

    /// - Throws: ``ServiceAccountError``, with the name of the member that is wrong and nothing of its value.
    package static func parse(_ file: [UInt8]) throws(ServiceAccountError) -> Self {
        guard let members = try? JSON.parse(file), members.object != nil else { throw .notJSON }
        guard members["type"]?.string == "service_account" else { throw .notServiceAccount }
        func text(_ name: String) throws(ServiceAccountError) -> String {
            guard let value = members[name]?.string, !value.isEmpty else { throw .missing(name) }
            return value
        }
        let key: RSAPrivateKey
        do {
            key = try RSAPrivateKey(pem: text("private_key"))
        } catch let error as KeyError {
            throw .privateKey(error)
        } catch {
            throw .missing("private_key")
        }
        return Self(
            projectID: try text("project_id"), clientEmail: try text("client_email"),
            privateKeyID: members["private_key_id"]?.string, privateKey: key)
    }
}

/// Why a file is not a service account that can sign.
package enum ServiceAccountError: Error, Equatable, Sendable {
    case notJSON
    /// `type` is not `service_account`: perhaps an OAuth client's file, or a user's credentials.
    case notServiceAccount
    case missing(String)
    case privateKey(KeyError)
}
