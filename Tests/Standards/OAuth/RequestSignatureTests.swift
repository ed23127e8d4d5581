import JOSE
import Testing

@testable import Standards

@Suite("Signatures of OAuth 1.0a")
struct RequestSignatureTests {
    @Test(
        "The published requests have their published signatures",
        arguments: SignatureVector.creatingASignature + SignatureVector.requestToken + SignatureVector.accessToken)
    func published(_ vector: SignatureVector) {
        let field = "oauth_signature=\"" + PercentEncoding.encode(vector.signature) + "\""
        #expect(vector.authorization.contains(field))
    }

    @Test("V1: The base string is the documented one")
    func documentedBaseString() {
        let base = SignatureBaseString.make(
            method: "post", url: "https://api.x.com/1.1/statuses/update.json?include_entities=true",
            parameters: [
                ("oauth_consumer_key", "xvz1evFS4wEEPTGEFPHBog"),
                ("oauth_nonce", "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "1318622958"),
                ("oauth_token", "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb"), ("oauth_version", "1.0"),
                ("status", "Hello Ladies + Gentlemen, a signed OAuth request!"),
            ])
        #expect(
            base
                == "POST&https%3A%2F%2Fapi.x.com%2F1.1%2Fstatuses%2Fupdate.json&include_entities%3Dtrue%26"
                + "oauth_consumer_key%3Dxvz1evFS4wEEPTGEFPHBog%26"
                + "oauth_nonce%3DkYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg%26"
                + "oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1318622958%26"
                + "oauth_token%3D370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb%26oauth_version%3D1.0%26"
                + "status%3DHello%2520Ladies%2520%252B%2520Gentlemen%252C%2520a%2520signed%2520OAuth%2520request%2521")
    }

    @Test("V4: The example of RFC 5849 §1.2, which has no version, has its documented signature")
    func rfcExample() {
        let base = SignatureBaseString.make(
            method: "GET", url: "http://photos.example.net/photos?file=vacation.jpg&size=original",
            parameters: [
                ("oauth_consumer_key", "dpf43f3p2l4k3l03"), ("oauth_token", "nnch734d00sl2jdk"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131202"),
                ("oauth_nonce", "chapoH"),
            ])
        let signature = RequestSignature(
            client: ClientCredentials(identifier: "dpf43f3p2l4k3l03", sharedSecret: Secret("kd94hf93k423kf44")),
            token: (Secret("nnch734d00sl2jdk"), Secret("pfkkdhi9sl3r4s00")), nonce: "chapoH",
            timestamp: NumericDate(137_131_202))
        #expect(signature.signature(of: base) == "MdpQcU8iPSUjWoN/UDMsK2sui9I=")
    }

    @Test("V5: The base string of RFC 5849 §3.4.1 is correct, with a repeated name and values that are encoded twice")
    func rfcBaseString() {
        let base = SignatureBaseString.make(
            method: "POST", url: "http://example.com/request?b5=%3D%253D&a3=a&c%40=&a2=r%20b",
            parameters: [
                ("oauth_consumer_key", "9djdj82h48djs9d2"), ("oauth_token", "kkk9d7dh3k39sjv7"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"),
                ("oauth_nonce", "7d8f3e4a"), ("c2", ""), ("a3", "2 q"),
            ])
        #expect(
            base
                == "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26"
                + "c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26"
                + "oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26"
                + "oauth_token%3Dkkk9d7dh3k39sjv7")
    }

    @Test(
        "Scheme and host are signed in lower case, the default port is omitted, and the path is unchanged",
        arguments: [
            ("HTTPS://API.X.com:443/A/b", "https%3A%2F%2Fapi.x.com%2FA%2Fb"),
            ("https://api.x.com:8443/a", "https%3A%2F%2Fapi.x.com%3A8443%2Fa"),
            ("http://EXAMPLE.com:80/r%20v/X", "http%3A%2F%2Fexample.com%2Fr%2520v%2FX"),
            ("https://api.x.com:80/", "https%3A%2F%2Fapi.x.com%3A80%2F"),
            ("https://api.x.com", "https%3A%2F%2Fapi.x.com%2F"),
        ])
    func baseStringURI(_ url: String, _ encoded: String) {
        #expect(SignatureBaseString.make(method: "GET", url: url, parameters: []) == "GET&\(encoded)&")
    }

    @Test("The key contains the ampersand between the secrets even without a token")
    func keyWithoutToken() {
        let client = ClientCredentials(identifier: "key", sharedSecret: Secret("a&b"))
        let without = RequestSignature(client: client, token: nil, nonce: "n", timestamp: NumericDate(1))
        let empty = RequestSignature(
            client: client, token: (Secret(""), Secret("")), nonce: "n", timestamp: NumericDate(1))
        // HMAC-SHA1 under the key "a%26b&", computed by openssl-dgst(1).
        #expect(without.signature(of: "base") == "tKHA7+X9QGqp7wg/xyW7fPDBIMQ=")
        #expect(empty.signature(of: "base") == without.signature(of: "base"))
    }
}
