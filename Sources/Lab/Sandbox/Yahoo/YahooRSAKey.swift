import JOSE
import Jansson
import OpenSSL

/// The RSA key of `/openid/v1/certs` whose private half is here, for tokens that are RS256 or pretend to be.
struct YahooRSAKey: Sendable {
    /// 40 hexadecimal digits, as Yahoo's are.
    let id: String
    let privateKey: RSAPrivateKey

    /// One for the process, made when it is first asked for: RSA keys take their time.
    static let shared = Result { () throws(OpenSSLError) in try YahooRSAKey() }

    private init() throws(OpenSSLError) {
        privateKey = try RSAPrivateKey.generate(bitCount: 2048)
        id = Hexadecimal.encode(SHA1.hash(privateKey.publicKey.modulus))
    }

    /// `n` without the octet too many that Yahoo's own have.
    var modulus: String { Base64URL.encode(privateKey.publicKey.modulus) }

    var publicPEM: String {
        PublicKeyPEM.text(modulus: privateKey.publicKey.modulus, exponent: privateKey.publicKey.exponent)
    }
}
