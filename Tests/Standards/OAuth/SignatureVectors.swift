import JOSE
import Testing

@testable import Standards

/// A published request and its signature, recomputed from its base string.
struct SignatureVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    var method = "POST"
    let url: String
    let consumerKey: String
    let consumerSecret: String
    var token: (identifier: String, sharedSecret: String)?
    let nonce: String
    let timestamp: Int64
    /// Further parameters of the `Authorization` field.
    var protocolParameters: [(name: String, value: String)] = []
    /// Parameters of the form body.
    var form: [(name: String, value: String)] = []
    let signature: String

    /// The `Authorization` field of the signed request.
    var authorization: String {
        RequestSignature(
            client: ClientCredentials(identifier: consumerKey, sharedSecret: Secret(consumerSecret)),
            token: token.map { (Secret($0.identifier), Secret($0.sharedSecret)) }, nonce: nonce,
            timestamp: NumericDate(timestamp)
        )
        .authorization(method: method, url: url, protocolParameters: protocolParameters, form: form)
    }
}

extension SignatureVector {
    /// The example of the page "Creating a signature" of X's documentation; the host is part of the signature.
    static let creatingASignature = [
        ("https://api.x.com/1.1", "Ls93hJiZbQ3akF3HF3x1Bz8/zU4="),
        ("https://api.twitter.com/1.1", "hCtSmYh+iHYCEqBWrE7C7hYmtUk="),
        ("https://api.twitter.com/1", "tnnArxj06cWHq44gCs1OSKk/jLY="),
    ].map { base, signature in
        SignatureVector(
            testDescription: "V1 at \(base)", url: base + "/statuses/update.json?include_entities=true",
            consumerKey: "xvz1evFS4wEEPTGEFPHBog",
            consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
            token: (
                "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"
            ),
            nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg", timestamp: 1_318_622_958,
            form: [("status", "Hello Ladies + Gentlemen, a signed OAuth request!")], signature: signature)
    }

    /// The first request of the page "Log in with X".
    static let requestToken = [
        ("https://api.twitter.com", "F1Li3tvehgcraF8DMJ7OyxO4w9Y="),
        ("https://api.x.com", "X9xhcB9d+NxXd/ThJ/n51vPhetM="),
    ].map { host, signature in
        SignatureVector(
            testDescription: "V2 at \(host)", url: host + "/oauth/request_token",
            consumerKey: "cChZNFj6T5R0TigYB9yd1w", consumerSecret: "L8qq9PZyRg6ieKGEKhZolGC0vJWLw8iEJ88DRdyOg",
            nonce: "ea9ec8429b68d6b77cd5600adbbb0456", timestamp: 1_318_467_427,
            protocolParameters: [("oauth_callback", "http://localhost/sign-in-with-twitter/")], signature: signature)
    }

    /// The last request of the same page; the verifier is in the body.
    static let accessToken = [
        ("https://api.twitter.com", "39cipBtIOHEEnybAR4sATQTpl2I="),
        ("https://api.x.com", "G3DdousFWwxEepaZcmHguKqeBvs="),
    ].map { host, signature in
        SignatureVector(
            testDescription: "V3 at \(host)", url: host + "/oauth/access_token",
            consumerKey: "cChZNFj6T5R0TigYB9yd1w", consumerSecret: "L8qq9PZyRg6ieKGEKhZolGC0vJWLw8iEJ88DRdyOg",
            token: (
                "NPcudxy0yU5T3tBzho7iCotZ3cnetKwcTIRlX0iwRl0", "veNRnAWe6inFuo8o2u8SLLZLjolYDmDP7SzL0YfYI"
            ),
            nonce: "a9900fe68e2573b27a37f10fbad6a755", timestamp: 1_318_467_427,
            form: [("oauth_verifier", "uw7NjWHT6OJ1MpJOXsHfNxoAhPKpgI8BlYDhxEjIBY")], signature: signature)
    }
}
