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
    /// - Throws: ``ServiceAccountError``, with the name of the wrong member and without its value.
    package static func parse(
        _ file: [UInt8],
        readKey: (String) throws(KeyError) -> RSAPrivateKey = { pem throws(KeyError) in try RSAPrivateKey(pem: pem) }
    ) throws(ServiceAccountError) -> Self {
        guard let members = try? JSON.parse(file), members.object != nil else { throw .notJSON }
        let hasKey = members["private_key"] != nil || members["privateKey"] == nil
        guard members["type"]?.string == "service_account", hasKey else {
            throw .notServiceAccount(OtherCredentials(members))
        }
        func text(_ name: String) throws(ServiceAccountError) -> String {
            guard let value = members[name]?.string, !value.isEmpty else { throw .missing(name) }
            return value
        }
        let key: RSAPrivateKey
        do {
            key = try readKey(try text("private_key").withPEMLineBreaks)
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
    /// `type` is not `service_account`.
    case notServiceAccount(OtherCredentials)
    case missing(String)
    case privateKey(KeyError)
}

/// Other JSON of Google that operators name in place of a service account.
package enum OtherCredentials: String, Sendable {
    /// The sign-in of a person.
    case authorizedUser = "authorized_user"
    /// Workload identity federation.
    case externalAccount = "external_account"
    case impersonatedServiceAccount = "impersonated_service_account"
    /// The secret of an OAuth client, which has no `type`.
    case oauthClient
    /// The configuration of an application for Firebase, which has no `type`.
    case applicationConfiguration
    /// The members of a service account as the Admin SDK of Node.js names them in code, such as `privateKey`.
    case otherSpelling
    case unknown

    init(_ members: JSON) {
        if let known = members["type"]?.string.flatMap(Self.init(rawValue:)) {
            self = known
        } else if members["web"] != nil || members["installed"] != nil {
            self = .oauthClient
        } else if members["privateKey"] != nil || members["clientEmail"] != nil {
            self = .otherSpelling
        } else if members["project_info"] != nil || members["apiKey"] != nil {
            self = .applicationConfiguration
        } else {
            self = .unknown
        }
    }
}
