internal import Foundation
internal import Jansson
internal import OpenSSL

/// A custom token, parsed without code of the product.
struct MintedToken: Sendable {
    static let audience =
        "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"

    let header: JSON
    let claims: JSON
    private let signingInput: [UInt8]
    private let signature: [UInt8]

    init(_ text: String) throws {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let header = Base64.urlDecode(parts[0]), let payload = Base64.urlDecode(parts[1]),
            let signature = Base64.urlDecode(parts[2])
        else { throw Inconclusive("The custom token is not a compact JWS.") }
        self.header = try JSON.parse(header)
        claims = try JSON.parse(payload)
        self.signature = signature
        signingInput = Array((parts[0] + "." + parts[1]).utf8)
    }

    var uid: String? { claims["uid"]?.string }

    /// Whether the signature verifies with the service account's public key.
    func isSigned(by account: ServiceAccountFile) -> Bool {
        account.publicKey.isValid(signature: signature, for: signingInput)
    }
}

/// The service account that the stand-ins made for the server.
struct ServiceAccountFile: Sendable {
    let email: String
    let publicKey: RSAPublicKey

    init(_ path: String) throws {
        guard let data = FileManager.default.contents(atPath: path), let file = try? JSON.parse(Array(data)),
            let email = file["client_email"]?.string, let pem = file["private_key"]?.string
        else { throw Inconclusive("There is no service account at \(path).") }
        self.email = email
        publicKey = try RSAPrivateKey(pem: pem).publicKey
    }
}

extension AttackContext {
    /// Signs a user in, and returns the token and the whole response.
    func mint(
        _ subject: String? = nil, wire: Wire? = nil, _ change: (inout TokenDraft) -> Void = { _ in }
    ) async throws -> (token: MintedToken, answer: Answer) {
        let proof = try await proof(of: try subject ?? freshSubject(), wire: wire, change)
        let answer = try await honest(exchange(proof), at: wire)
        return (try MintedToken(answer["custom_token"] ?? ""), answer)
    }
}

/// A subject of an unusual form, which contains a given text to make it unique.
struct SubjectForm: Sendable {
    let letter: String
    let sentence: String
    let reveals: Set<Mistake>
    let make: @Sendable (String) -> String

    init(
        _ letter: String, _ sentence: String, _ reveals: Set<Mistake> = [], make: @escaping @Sendable (String) -> String
    ) {
        self.letter = letter
        self.sentence = sentence
        self.reveals = reveals
        self.make = make
    }
}

/// Two subjects that a careless comparison treats as equal.
struct SubjectTwins: Sendable {
    let letter: String
    let sentence: String
    let reveals: Set<Mistake>
    let make: @Sendable (String) -> (String, String)

    init(
        _ letter: String, _ sentence: String, _ reveals: Set<Mistake> = [],
        make: @escaping @Sendable (String) -> (String, String)
    ) {
        self.letter = letter
        self.sentence = sentence
        self.reveals = reveals
        self.make = make
    }
}
