import Sandbox
import Testing

@Suite("OAuth 1.0a signature")
struct OAuth1SignatureTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let url: String
        let client: (key: String, secret: String)
        let token: (name: String, secret: String)?
        let nonce: String
        let timestamp: String
        let version: Bool
        let method: String
        let parameters: [(String, String)]
        let signature: String
    }

    static let xClient = ("cChZNFj6T5R0TigYB9yd1w", "L8qq9PZyRg6ieKGEKhZolGC0vJWLw8iEJ88DRdyOg")

    static let vectors = [
        Vector(
            testDescription: "X: creating a signature", url: "https://api.x.com/1.1/statuses/update.json",
            client: ("xvz1evFS4wEEPTGEFPHBog", "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw"),
            token: (
                "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"
            ), nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", timestamp: "1318622958", version: true,
            method: "POST",
            parameters: [
                ("include_entities", "true"), ("status", "Hello Ladies + Gentlemen, a signed OAuth request!"),
            ], signature: "Ls93hJiZbQ3akF3HF3x1Bz8/zU4="),
        Vector(
            testDescription: "X: request token", url: "https://api.x.com/oauth/request_token", client: xClient,
            token: nil, nonce: "ea9ec8429b68d6b77cd5600adbbb0456", timestamp: "1318467427", version: true,
            method: "POST", parameters: [("oauth_callback", "http://localhost/sign-in-with-twitter/")],
            signature: "X9xhcB9d+NxXd/ThJ/n51vPhetM="),
        Vector(
            testDescription: "X: access token", url: "https://api.x.com/oauth/access_token", client: xClient,
            token: (
                "NPcudxy0yU5T3tBzho7iCotZ3cnetKwcTIRlX0iwRl0", "veNRnAWe6inFuo8o2u8SLLZLjolYDmDP7SzL0YfYI"
            ), nonce: "a9900fe68e2573b27a37f10fbad6a755", timestamp: "1318467427", version: true, method: "POST",
            parameters: [("oauth_verifier", "uw7NjWHT6OJ1MpJOXsHfNxoAhPKpgI8BlYDhxEjIBY")],
            signature: "G3DdousFWwxEepaZcmHguKqeBvs="),
        Vector(
            testDescription: "RFC 5849 §1.2", url: "http://photos.example.net/photos",
            client: ("dpf43f3p2l4k3l03", "kd94hf93k423kf44"), token: ("nnch734d00sl2jdk", "pfkkdhi9sl3r4s00"),
            nonce: "chapoH", timestamp: "137131202", version: false, method: "GET",
            parameters: [("file", "vacation.jpg"), ("size", "original")], signature: "MdpQcU8iPSUjWoN/UDMsK2sui9I="),
    ]

    @Test("Published signatures are reproduced", arguments: vectors)
    func publishedSignatures(vector: Vector) {
        var parameters = [
            (name: "oauth_consumer_key", value: vector.client.key), (name: "oauth_nonce", value: vector.nonce),
            (name: "oauth_signature_method", value: "HMAC-SHA1"),
            (name: "oauth_timestamp", value: vector.timestamp),
        ]
        if vector.version { parameters.append(("oauth_version", "1.0")) }
        if let token = vector.token { parameters.append(("oauth_token", token.name)) }
        parameters += vector.parameters.map { (name: $0.0, value: $0.1) }
        let base = OAuth1Signature.baseString(method: vector.method, baseURL: vector.url, parameters: parameters)
        #expect(
            OAuth1Signature.signature(
                of: base, clientSecret: vector.client.secret, tokenSecret: vector.token?.secret ?? "")
                == vector.signature)
    }

    @Test("Parameters are sorted by their encoded name, then value (RFC 5849 §3.4.1.1)")
    func sorting() {
        let base = OAuth1Signature.baseString(
            method: "POST", baseURL: "http://example.com/request",
            parameters: [
                ("b5", "=%3D"), ("a3", "a"), ("c@", ""), ("a2", "r b"), ("c2", ""), ("a3", "2 q"),
                ("oauth_consumer_key", "9djdj82h48djs9d2"), ("oauth_token", "kkk9d7dh3k39sjv7"),
                ("oauth_signature_method", "HMAC-SHA1"), ("oauth_timestamp", "137131201"),
                ("oauth_nonce", "7d8f3e4a"),
            ])
        #expect(
            base == "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D"
                + "%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a"
                + "%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7"
        )
    }
}
