import FoundationEssentials
import JOSE
import Jansson
import LabSystem
import OpenSSL

/// The keys that sign one kind of token, the newest last.
///
/// The first key is generated at its first use, because that takes time.
struct GoogleKeyRing: Sendable {
    private let owner: String
    private var published: [GoogleKey] = []
    private var foreign: GoogleKey?

    /// Creates an empty ring.
    ///
    /// `owner` is the common name of the certificates.
    init(owner: String) {
        self.owner = owner
    }

    /// The key that signs.
    mutating func current(now: Int64) throws(Refusal) -> GoogleKey {
        if let key = published.last { return key }
        let key = try GoogleKey(owner: owner, now: now)
        published = [key]
        return key
    }

    /// A key that is not published.
    ///
    /// It signs with the id of the current key.
    mutating func foreign(now: Int64) throws(Refusal) -> GoogleKey {
        if let foreign { return foreign }
        let key = try GoogleKey(owner: owner, now: now)
        foreign = key
        return key
    }

    mutating func rotate(keepingOld: Bool, now: Int64) throws(Refusal) -> GoogleKey {
        // Generates the current key if it does not exist yet, so that there is one to replace.
        _ = try current(now: now)
        let next = try GoogleKey(owner: owner, now: now)
        published = (keepingOld ? published : []) + [next]
        return next
    }

    /// The key set (RFC 7517 §5).
    mutating func keySet(now: Int64) throws(Refusal) -> JSON {
        _ = try current(now: now)
        return .object(["keys": .array(published.map(\.jwk))])
    }

    /// The certificates in PEM by key id: `{"kid": "-----BEGIN CERTIFICATE-----…"}`.
    mutating func certificates(now: Int64) throws(Refusal) -> JSON {
        _ = try current(now: now)
        return .object(Dictionary(published.map { ($0.id, .string($0.certificate)) }) { $1 })
    }

    /// Whether a published key made the signature.
    ///
    /// If `keyID` is given, only the key with this id counts.
    func isValid(signature: [UInt8], for message: [UInt8], keyID: String?) -> Bool {
        published.contains {
            (keyID == nil || $0.id == keyID) && $0.publicKey.isValid(signature: signature, for: message)
        }
    }
}

extension GoogleKeyRing {
    /// Signs a JWT with RS256, `kid` and `typ` (RFC 7515 §3.1), changed by the defect.
    mutating func token(
        _ claims: [String: JSON], spoiledBy defect: IDTokenDefect? = nil, now: Int64
    ) throws(Refusal) -> String {
        let key = try current(now: now)
        let honest: [String: JSON] = ["alg": .string("RS256"), "kid": .string(key.id), "typ": .string("JWT")]
        let header = defect?.header(honest) ?? JSON.object(honest).serialized()
        let payload = defect?.payload(claims) ?? JSON.object(claims).serialized()
        let input = Base64URL.encode(header) + "." + Base64URL.encode(payload)
        let message = Array(input.utf8)
        let signer = defect?.signature == .foreign ? try foreign(now: now) : key
        do {
            let signature =
                switch defect?.signature {
                case .hs256: HMACSHA256.authenticationCode(for: message, key: Array(key.certificate.utf8))
                case IDTokenDefect.Signature.none?: [UInt8]()
                default: try signer.privateKey.signature(for: message)
                }
            return input + "." + Base64URL.encode(signature)
        } catch {
            throw GoogleError.noKey
        }
    }
}

/// An RSA key of the stand-in, published as JWK and as X.509 certificate.
struct GoogleKey: Sendable {
    /// The key id: 40 hexadecimal digits, like Google's.
    let id: String
    let privateKey: RSAPrivateKey
    /// A self-signed certificate in PEM.
    ///
    /// It is valid from one day before its creation until 30 days after.
    let certificate: String

    var publicKey: RSAPublicKey { privateKey.publicKey }

    /// Generates a key.
    ///
    /// `owner` is the common name of the certificate, of which 64 characters are used.
    init(owner: String, now: Int64) throws(Refusal) {
        do {
            privateKey = try RSAPrivateKey.generate()
            id = Hexadecimal.encode(SHA1.hash(privateKey.publicKey.modulus))
            certificate = try privateKey.selfSignedCertificate(
                commonName: String(owner.prefix(64)), serialNumber: 1, notBefore: max(0, now - 86400),
                notAfter: max(0, now) + 30 * 86400)
        } catch {
            throw GoogleError.noKey
        }
    }

    var jwk: JSON { publicKey.jwk(id: id) }
}

extension RSAPublicKey {
    fileprivate func jwk(id: String) -> JSON {
        .object([
            "kty": .string("RSA"), "alg": .string("RS256"), "use": .string("sig"), "kid": .string(id),
            "n": .string(Base64URL.encode(modulus)), "e": .string(Base64URL.encode(exponent)),
        ])
    }
}

extension GoogleServiceAccount {
    /// Returns a key set with the key of the account's file, if it has an id.
    fileprivate func adding(toKeySet set: JSON) -> JSON {
        guard let publicKey, let keyID else { return set }
        return .object(["keys": .array((set["keys"]?.array ?? []) + [publicKey.jwk(id: keyID)])])
    }

    /// Returns certificates with that of the account's file, if it has an id and a certificate.
    fileprivate func adding(toCertificates certificates: JSON) -> JSON {
        guard let certificate, let keyID else { return certificates }
        return .object((certificates.object ?? [:]).merging([keyID: .string(certificate)]) { $1 })
    }
}

extension GoogleStandIn {
    /// Key sets and certificates, with the `Cache-Control` of Google.
    func keys(_ path: GooglePath) throws(Refusal) -> Answer {
        let now = clock.now
        let document: JSON
        switch path.endpoint {
        case .googleIDTokenCertificates: document = try idTokenKeys.certificates(now: now)
        case .googleIDTokenKeys: document = try idTokenKeys.keySet(now: now)
        case .googleAppCheckKeys, .googleAppCheckBetaKeys: document = try appCheckKeys.keySet(now: now)
        default:
            guard let account = serviceAccounts[exactly: path.email] else {
                throw Refusal(.text("Service account not found.", status: 404))
            }
            var ring = managedKeys[path.email] ?? GoogleKeyRing(owner: path.email)
            // Google publishes the keys that it manages and those that were generated for download.
            document =
                path.endpoint == .googleAccountKeys
                ? account.adding(toKeySet: try ring.keySet(now: now))
                : account.adding(toCertificates: try ring.certificates(now: now))
            managedKeys[path.email] = ring
        }
        var answer = Answer.document(document)
        answer.header.append(("Cache-Control", "public, max-age=21600, must-revalidate, no-transform"))
        return answer
    }
}

extension GoogleStandIn {
    /// `signBlob` of `iamcredentials.googleapis.com`: signs with a key that Google manages for the account.
    ///
    /// Every account of a project may sign for every other account of it. Google requires a role for this.
    func signBlob(_ request: IncomingRequest, _ path: GooglePath) throws(Refusal) -> Answer {
        let caller = try authorize(request, path, scopes: [GoogleScope.cloudPlatform])
        guard let account = serviceAccounts[exactly: path.email] else {
            throw GoogleError.api(404, "NOT_FOUND", "Requested entity was not found.")
        }
        guard let caller, caller.projectID == account.projectID else {
            throw GoogleError.permissionDenied(
                "Permission 'iam.serviceAccounts.signBlob' denied on resource (or it may not exist).")
        }
        let text = try read(request) { input throws(ControlError) in
            _ = try input.optionalStrings("delegates")
            return try input.requiredString("payload")
        }
        // ProtoJSON accepts both base64 alphabets for bytes. Google's libraries send the standard alphabet, which is
        // required here.
        guard let payload = Data(base64Encoded: text), !payload.isEmpty else {
            throw GoogleError.invalidArgument("Invalid value at 'payload': Base64 decoding failed")
        }
        var ring = managedKeys[account.email] ?? GoogleKeyRing(owner: account.email)
        let key = try ring.current(now: clock.now)
        managedKeys[account.email] = ring
        guard let signature = try? key.privateKey.signature(for: Array(payload)) else { throw GoogleError.noKey }
        return .json(.object(["keyId": .string(key.id), "signedBlob": .string(Base64.encode(signature))]))
    }
}
