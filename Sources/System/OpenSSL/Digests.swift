internal import COpenSSL

/// SHA-256 (FIPS 180-4 §6.2).
package enum SHA256 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        FetchedDigest.sha256.hash(bytes)
    }
}

/// A hash function of the family SHA-2 (FIPS 180-4), for the signatures of a peer.
package enum SHA2: Sendable {
    case sha256
    case sha384
    case sha512

    package func hash(_ bytes: [UInt8]) -> [UInt8] { fetched.hash(bytes) }

    var fetched: FetchedDigest {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}

/// SHA-1 (FIPS 180-4 §6.1), only for OAuth 1.0a.
///
/// Nothing else may use it, because SHA-1 is not collision-resistant.
package enum SHA1 {
    package static func hash(_ bytes: [UInt8]) -> [UInt8] {
        FetchedDigest.sha1.hash(bytes)
    }
}

extension [UInt8] {
    /// The octets in lower-case hexadecimal.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for octet in self {
            text.append(digits[Int(octet >> 4)])
            text.append(digits[Int(octet & 15)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// HMAC with SHA-256 (RFC 2104).
///
/// Compare codes with ``constantTimeEqual(_:_:)``.
package enum HMACSHA256 {
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        FetchedDigest.sha256.authenticationCode(for: message, key: key)
    }
}

/// HMAC with SHA-1 (RFC 2104), for the signatures of OAuth 1.0a (RFC 5849 §3.4.2) and for one-time passwords
/// (RFC 4226 §5.3).
package enum HMACSHA1 {
    package static func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        FetchedDigest.sha1.authenticationCode(for: message, key: key)
    }
}

/// A hash function of the default provider, fetched once for the life of the process.
///
/// - SeeAlso: EVP_MD_fetch(3); crypto(7), "Performance": a kept explicit fetch saves the lookup in each call.
@safe
struct FetchedDigest: @unchecked Sendable {
    let pointer: OpaquePointer

    static let sha1 = FetchedDigest("SHA1")
    static let sha256 = FetchedDigest("SHA256")
    static let sha384 = FetchedDigest("SHA384")
    static let sha512 = FetchedDigest("SHA512")

    private init(_ name: String) {
        guard let pointer = unsafe EVP_MD_fetch(nil, name, nil) else {
            preconditionFailure("libcrypto offers no \(name)")
        }
        unsafe self.pointer = unsafe pointer
    }

    func hash(_ bytes: [UInt8]) -> [UInt8] {
        let size = unsafe Int(EVP_MD_get_size(pointer))
        return unsafe bytes.withUnsafeBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
                let result = unsafe EVP_Digest(input.baseAddress, input.count, output.baseAddress, nil, pointer, nil)
                precondition(result == 1, "EVP_Digest fails only without memory")
                count = size
            }
        }
    }

    func authenticationCode(for message: [UInt8], key: [UInt8]) -> [UInt8] {
        let size = unsafe Int(EVP_MD_get_size(pointer))
        return unsafe message.withUnsafeBufferPointer { message in
            unsafe key.withUnsafeBufferPointer { key in
                unsafe [UInt8](unsafeUninitializedCapacity: size) { output, count in
                    // HMAC(3): md "must have space for the output of the hash function".
                    let result = unsafe HMAC(
                        pointer, key.baseAddress, CInt(key.count), message.baseAddress, message.count,
                        output.baseAddress, nil)
                    precondition(unsafe result != nil, "HMAC fails only without memory")
                    count = size
                }
            }
        }
    }
}
