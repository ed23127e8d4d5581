internal import Jansson
package import OpenSSL

/// A Google service account with its key, from the JSON file of the Google Cloud console.
package struct ServiceAccount: Sendable {
    package let projectID: String
    package let clientEmail: String
    /// The `kid` of tokens that the key signs.
    package let privateKeyID: String?
    /// The private key, which only this target and files that import it with `@_spi(CustomTokenSigning)` can use.
    ///
    /// Only the signer of custom tokens imports it so.
    @_spi(CustomTokenSigning) public let privateKey: RSAPrivateKey

    /// The public key, which verifies the signatures of the private key.
    package var publicKey: RSAPublicKey { privateKey.publicKey }

    /// Reads the file.
    ///
    /// - Parameters:
    ///   - file: The JSON file.
    ///   - readKey: Makes the key from the member `private_key`.
    /// - Returns: The service account.
    /// - Throws: ``ServiceAccountError``, with the name of the wrong member and without its value.
    package static func parse(
        _ file: [UInt8],
        readKey: (String) throws(KeyError) -> RSAPrivateKey = { pem throws(KeyError) in try RSAPrivateKey(pem: pem) }
    ) throws(ServiceAccountError) -> Self {
        guard let members = try? JSON.parse(file), members.object != nil else { throw .notJSON }
        guard members["type"]?.string == "service_account" else { throw .notServiceAccount }
        func text(_ name: String) throws(ServiceAccountError) -> String {
            guard let value = members[name]?.string, !value.isEmpty else { throw .missing(name) }
            return value
        }
        let key: RSAPrivateKey
        do {
            key = try readKey(try text("private_key"))
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

/// The reason why a file is not a usable service account.
package enum ServiceAccountError: Error, Equatable, Sendable {
    case notJSON
    /// `type` is not `service_account`; the file may be that of an OAuth client, or a user's credentials.
    case notServiceAccount
    case missing(String)
    case privateKey(KeyError)
}
