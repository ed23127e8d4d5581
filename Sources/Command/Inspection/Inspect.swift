internal import ArgumentParser
internal import Firebase
internal import Foundation
internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Settings

struct Inspect: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "Decodes a token, and reports problems and whether its signature is valid.",
        discussion: """
            Supports Firebase custom tokens, Firebase ID tokens, session cookies and ID tokens of providers. It reads the \
            token from standard input, because arguments are visible in the process list. It never prints the signature.

              token-exchange inspect --keys certs.json < token.txt

            Exit codes: 0 if the signature is valid and there are no problems, 1 otherwise.
            """)

    @Option(
        help: ArgumentHelp(
            "The keys of the expected signer: a JWK set, or a public key or certificate in PEM.",
            valueName: "file"))
    var keys: String?

    @Option(
        help: ArgumentHelp(
            "The service account that is expected to have signed the custom token.", valueName: "file"))
    var serviceAccount: String?

    func run() async throws {
        let input = FileHandle.standardInput.readData(ofLength: 64 * 1024)
        let text = String(decoding: input, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let jws: CompactJWS
        let claims: UnverifiedClaims
        do {
            jws = try CompactJWS.parse(text)
            claims = try UnverifiedClaims(of: jws)
        } catch {
            throw Exit.because(
                "the input is not a signed token in compact form: \(error.sentence). If anything else is before, after or within "
                    + "the token, such as Bearer, quotation marks or a line break, leave it out", Exit.failure)
        }
        let kind = TokenKind(claims.json)
        print("kind: \(kind.rawValue)")
        print("algorithm: \(VisibleText.of(jws.header.algorithm))")
        print("key: \(VisibleText.of(jws.header.keyID?.text ?? "not named"))")
        for (name, value) in (claims.json.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            print("\(VisibleText.of(name)): \(VisibleText.of(ClaimText.of(value, named: name)))")
        }
        let findings = TokenRules.findings(kind, jws.header, claims.json, at: TimeSource.system.now())
        for finding in findings {
            print("wrong: \(finding)")
        }
        let verdict = try SignatureVerdict.of(jws, keys: keys, serviceAccount: serviceAccount)
        print("signature: \(verdict.rawValue)")
        guard verdict == .holds, findings.isEmpty else { throw Exit.failure }
    }
}

/// The result of checking a signature with the given keys.
enum SignatureVerdict: String {
    case holds
    case doesNotHold = "does not hold"
    case unknownKey = "by a key that is not among those given"
    case notChecked = "not checked: give --keys or --service-account"
    case otherAlgorithm =
        "not checked: these keys verify no token with this alg or typ; a JWK set can have keys for others"

    /// Checks the signature of a token.
    ///
    /// - Parameters:
    ///   - keys: The path of a file with keys.
    ///   - serviceAccount: The path of a service account, which takes precedence.
    /// - Throws: Exit 1 for a file without a key.
    static func of(_ jws: CompactJWS, keys: String?, serviceAccount: String?) throws -> Self {
        if let path = serviceAccount {
            let json = try contents(of: path)
            do throws(ServiceAccountError) {
                return verdict(of: jws, by: try ServiceAccount.parse(json).publicKey)
            } catch {
                throw Exit.because("\(path): \(ServiceAccounts.sentence(error, in: json))", Exit.failure)
            }
        }
        guard let path = keys else { return .notChecked }
        let bytes = try contents(of: path)
        if let set = try? JWKSet.parse(bytes) {
            do {
                _ = try JWSVerifier.verifiedPayload(of: jws, keys: set, algorithms: Set(Algorithm.allCases))
                return .holds
            } catch {
                return error == .unknownKey ? .unknownKey : error == .signatureInvalid ? .doesNotHold : .otherAlgorithm
            }
        }
        // Google also publishes certificates as an object with a member for each kid.
        let certificates = (try? JSON.parse(bytes))?.object ?? [:]
        let named = certificates[jws.header.keyID?.text ?? ""]?.string
        if named == nil, certificates.values.contains(where: { $0.string?.contains("-----BEGIN") == true }) {
            return .unknownKey
        }
        let pem = named ?? String(decoding: bytes, as: UTF8.self)
        if let key = try? RSAPublicKey(pem: pem) { return verdict(of: jws, by: key) }
        if let key = try? ECPublicKey(pem: pem) {
            guard jws.header.algorithm == Algorithm.es256.rawValue else { return .otherAlgorithm }
            return key.isValid(signature: jws.signature, for: jws.signingInput) ? .holds : .doesNotHold
        }
        throw Exit.because(
            "\(path) contains no JWK set, no public key of RSA or on P-256 in PEM, no certificate with one, and no object with such a "
                + "certificate under the kid of the token", Exit.failure)
    }

    private static func verdict(of jws: CompactJWS, by key: RSAPublicKey) -> Self {
        guard jws.header.algorithm == Algorithm.rs256.rawValue else { return .otherAlgorithm }
        return key.isValid(signature: jws.signature, for: jws.signingInput) ? .holds : .doesNotHold
    }

    private static func contents(of path: String) throws -> [UInt8] {
        do throws(SettingsFileError) {
            return Array(try SettingsFile.onDisk(path).text().utf8)
        } catch {
            throw Exit.because("\(path) \(error.message)", Exit.failure)
        }
    }
}
