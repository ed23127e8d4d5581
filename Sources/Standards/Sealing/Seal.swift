internal import JOSE
package import Jansson
package import OpenSSL

/// Seals and opens JSON values of one use.
///
/// AES-256-GCM encrypts a value and authenticates its kind and its context as associated data. The key of each kind is
/// derived from the configured key (HKDF, RFC 5869). The text is canonical base64url: no other text opens to the same
/// value.
package struct Sealer<Use: KeyPurpose>: Sendable {
    private let keys: [SealingKey<Use>]

    /// - Parameter keys: At least one. The first one seals, all of them open.
    package init(keys: [SealingKey<Use>]) {
        precondition(!keys.isEmpty, "A sealer needs a key.")
        self.keys = keys
    }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - kind: The value opens only as this kind.
    ///   - context: The value opens only in this context, usually for one client.
    /// - Returns: The sealed value in base64url.
    package func seal(
        _ content: JSON, as kind: Use.Kind, for context: String
    ) throws(SealingFailure) -> String {
        let cipher = try keys[0].cipher(for: kind)
        return Base64URL.encode(
            try cipher.seal(content.serialized(), authenticating: associatedData(kind, context)))
    }

    /// Opens a sealed value.
    ///
    /// - Parameters:
    ///   - text: The sealed value in base64url.
    ///   - context: The context that it was sealed for.
    ///   - limit: The maximum length of `text`, in bytes.
    /// - Returns: The value; `nil` if it was sealed by another key, as another kind or for another context, or if it is
    ///   too long.
    package func open(_ text: String, as kind: Use.Kind, for context: String, upTo limit: Int = 8192) -> JSON? {
        guard text.utf8.count <= limit, let sealed = try? Base64URL.decode(text) else { return nil }
        for key in keys {
            if let cipher = try? key.cipher(for: kind),
                let content = cipher.open(sealed, authenticating: associatedData(kind, context))
            {
                return try? JSON.parse(content, maximumBytes: limit)
            }
        }
        return nil
    }

    /// The fingerprints of the keys, in their order.
    package func fingerprints() throws(SealingFailure) -> [String] {
        var texts: [String] = []
        for key in keys { texts.append(try key.fingerprint()) }
        return texts
    }

    private func associatedData(_ kind: Use.Kind, _ context: String) -> [UInt8] {
        Array("token-exchange\0\(kind.rawValue)\0\(context)".utf8)
    }
}

/// The list of keys of the configuration, none of which opens a value.
///
/// A sealed value names no key, so that one under another key cannot be told from a damaged one.
package enum UnopenedValue: String, AdvisingCause {
    /// The value is of a browser or an application.
    case ofClient = "seal_keys"
    /// The value is of the store.
    case ofStore = "store_keys"

    /// Why no key may open the value.
    ///
    /// The store has compared the client and the purpose of its values before.
    fileprivate var causes: String {
        switch self {
        case .ofClient:
            "it was not issued here, was damaged, is of another client, browser or endpoint, or was sealed with another key"
        case .ofStore: "it was sealed with another key, or was damaged or changed in the store"
        }
    }

    package var advice: String? {
        "If \(rawValue) was changed, add the earlier key behind the new one. If several servers answer at public_url, they need one "
            + "store, PostgreSQL or Firestore, and the same seal_keys and store_keys."
    }
}

extension Refusal {
    /// Returns the same refusal of a value that does not open, with what the operator can do.
    ///
    /// - Parameter name: The value in words, such as `the session`.
    package func unopened(_ value: UnopenedValue, _ name: String) -> Refusal {
        Refusal(
            reason, description,
            finding: "no key of \(value.rawValue) opens \(name): \(value.causes)",
            detail, error: error, retry: retry, isUnspent: isUnspent, cause: value)
    }
}

/// Why a value was not sealed: OpenSSL failed.
package typealias SealingFailure = OpenSSLError

/// Seals the state that clients and browsers carry, so that starting a flow writes nothing to the store.
package typealias Seal = Sealer<ClientState>
/// Seals values of the store: a reader of the database cannot read them, and a writer cannot make them.
package typealias StoreSeal = Sealer<StoredState>
package typealias SealKey = SealingKey<ClientState>
package typealias StoreKey = SealingKey<StoredState>

/// A key of 32 bytes, from which the key of each kind is derived.
package struct SealingKey<Use: KeyPurpose>: Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    private let secret: [UInt8]

    /// Returns `nil` unless there are exactly 32 bytes.
    package init?(_ octets: [UInt8]) {
        guard octets.count == 32 else { return nil }
        secret = octets
    }

    package var description: String { "[secret elided]" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: [:]) }

    /// A text that is equal for equal keys, by which servers and operators compare keys without showing them.
    ///
    /// It is derived from the key as the keys of the kinds are (HKDF, RFC 5869), with a label that no kind has. It tells
    /// nothing about these, because the output of HKDF for one label is independent of that for another (RFC 5869 §3.2),
    /// and nothing about the key but whether a guess is right. A key has 256 random bits, so that no search finds it. If
    /// an operator chose a key that can be guessed, every sealed value confirms a guess just as well.
    func fingerprint() throws(OpenSSLError) -> String {
        let info = Array(("token-exchange fingerprint\0" + Use.keyLabel).utf8)
        return Base64URL.encode(try HKDFSHA256.derive(from: secret, salt: [], info: info, count: 9))
    }

    func cipher(for kind: Use.Kind) throws(OpenSSLError) -> AES256GCM {
        let key = try HKDFSHA256.derive(
            from: secret, salt: [], info: Array((Use.keyLabel + kind.rawValue).utf8), count: 32)
        do {
            return try AES256GCM(key: key)
        } catch {
            preconditionFailure("HKDF did not return the 32 bytes that were requested.")
        }
    }
}

/// A place for sealed values: with clients, or in the store.
///
/// Each use has its own keys, and its own types of keys and seals. The keys of one use can neither open nor make a
/// value of the other.
package protocol KeyPurpose: Sendable {
    associatedtype Kind: RawRepresentable & Sendable where Kind.RawValue == String

    /// The beginning of the `info` of HKDF (RFC 5869 §3.2), before the kind.
    ///
    /// With it, one secret that is configured for both uses still makes different keys.
    static var keyLabel: String { get }
}

/// The use of values that browsers and applications carry.
package enum ClientState: KeyPurpose {
    package typealias Kind = SealedKind
    package static let keyLabel = "token-exchange seal "
}

/// The use of values in the store.
package enum StoredState: KeyPurpose {
    package typealias Kind = StoredKind
    package static let keyLabel = "token-exchange store "
}

/// The purpose of a sealed value that browsers and applications carry.
///
/// A value of one kind never opens as another. Each kind is the state of an unfinished flow. No kind names an
/// authenticated person, so that a leaked seal key signs no person in.
package enum SealedKind: String, Sendable, CaseIterable {
    /// The verifier of `POST /v1/nonce`.
    case nonce
    /// The session of `POST /v1/signin`, which the application keeps.
    case session
    /// The content of a confirmation page, in a flow that `POST /v1/signin` started with an intent.
    case confirmation = "signin_page"
    /// A browser flow, in its cookie.
    case flow
    /// The parameters of a pushed authorization request (RFC 9126).
    case pushedRequest = "pushed_request"
    /// The nonce of an authorization request at an OpenID Provider.
    case providerNonce = "provider_nonce"
    /// The browser in which device codes are entered.
    case browser
    /// The state of a device page's form.
    case deviceForm = "device_form"
}

/// The purpose of a sealed value in the store.
package enum StoredKind: String, Sendable, CaseIterable {
    /// A verified identity that its application has not fetched yet.
    ///
    /// Only the target `Verification` seals and opens it, because an opened identity counts as verified.
    case identity
    /// The secret of a second factor.
    ///
    /// Only the target `SecondFactors` seals and opens it.
    case factor
    /// A proven second factor of a sign-in that its application has not fetched yet.
    ///
    /// Only the target `SecondFactors` seals and opens it, because an opened one counts as proven.
    case provenFactor = "proven_factor"
}
