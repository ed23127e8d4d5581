import Jansson
import OpenSSL
import Sandbox
import Testing

@Suite("Tokens with given parts")
struct YahooSigningTests {
    private struct Signed {
        let token: IDToken
        let keyID: String?
        let keys: JSON?
    }

    private static func sign(
        _ client: SandboxClient, _ key: String, _ parts: [String: String]
    ) async throws -> Signed {
        var order = parts.mapValues { JSON.string($0) }
        order["key"] = .string(key)
        let answer = try await client.control("POST", "/yahoo/sign", .object(order))
        return Signed(
            token: try #require(IDToken(answer["token"]?.string)), keyID: answer["kid"]?.string,
            keys: try await client.control("GET", "/yahoo/keys"))
    }

    @Test(
        "Every key signs exactly the given parts, and the header is not changed",
        arguments: [("own", 64), ("foreign", 64), ("rsa", 256), ("hs256", 32), ("malleated", 64), ("none", 0)])
    func parts(key: String, count: Int) async throws {
        try await SandboxClient.withSandbox { client in
            let header = "{ \"alg\": \"PS512\", \"alg\": 1 }"
            let signed = try await Self.sign(client, key, ["header_text": header, "payload_text": "kein JSON: ö"])
            #expect(signed.token.headerText == header)
            #expect(signed.token.payloadText == "kein JSON: ö")
            #expect(signed.token.signature.count == count)
            #expect(signed.keyID == signed.keys?[key == "rsa" ? "rsa_kid" : "own_kid"]?.string)

            let own = try ECPublicKey(pem: signed.keys?["own_pem"]?.string ?? "")
            #expect(
                own.isValid(signature: signed.token.signature, for: signed.token.signingInput)
                    == ["own", "malleated"].contains(key))
            let rsa = try RSAPublicKey(pem: signed.keys?["rsa_pem"]?.string ?? "")
            #expect(
                rsa.isValid(signature: signed.token.signature, for: signed.token.signingInput) == (key == "rsa"))
        }
    }

    @Test("Parts may be invalid UTF-8, or empty")
    func bytes() async throws {
        try await SandboxClient.withSandbox { client in
            let order = JSON.object(["header_base64url": .string("_wA"), "payload_base64url": .string("")])
            let token = try await client.control("POST", "/yahoo/sign", order)["token"]?.string ?? ""
            #expect(token.hasPrefix("_wA.."))
            #expect(token.count == 5 + 86)
        }
    }

    @Test(
        "A part that is missing, given twice or padded is refused",
        arguments: [
            ("{\"header_text\": \"{}\"}", "payload_text"),
            ("{\"header_text\": \"\", \"header_base64url\": \"\", \"payload_text\": \"\"}", "header_text"),
            ("{\"header_base64url\": \"_w==\", \"payload_text\": \"\"}", "header_base64url"),
            ("{\"header_text\": \"\", \"payload_text\": \"\", \"key\": \"mine\"}", "malleated"),
            ("{\"header_text\": \"\", \"payload_text\": \"\", \"alg\": \"ES256\"}", "alg"),
        ])
    func refusals(order: String, named: String) async throws {
        try await SandboxClient.withSandbox { client in
            let reply = try await client.send(
                "POST", client.addresses.control + "/yahoo/sign", header: ["Content-Type: application/json"],
                body: order)
            #expect(reply.status == 400)
            #expect(reply.json?["error"]?.string?.contains(named) == true)
        }
    }

    @Test("Both keys are in the key set with the reported ids, and a rotation keeps the RSA key")
    func keySet() async throws {
        try await SandboxClient.withSandbox { client in
            let before = try await client.control("GET", "/yahoo/keys")
            #expect(before["issuer"]?.string == client.addresses.yahoo)
            try await client.control("POST", "/yahoo/rotate", .object(["keep_old": .bool(false)]))
            let after = try await client.control("GET", "/yahoo/keys")
            #expect(after["own_kid"] != before["own_kid"])
            #expect(after["own_pem"] != before["own_pem"])
            #expect(after["rsa_kid"] == before["rsa_kid"])
            #expect(after["rsa_pem"] == before["rsa_pem"])

            let certs = try await client.get(client.addresses.yahoo + "/openid/v1/certs").json
            let header = "{\"alg\":\"RS256\",\"kid\":\"\(after["rsa_kid"]?.string ?? "")\"}"
            let signed = try await Self.sign(client, "rsa", ["header_text": header, "payload_text": "{}"])
            #expect(signed.token.isRSASigned(under: certs))
            #expect(signed.keyID?.count == 40)
            let jwk = certs?["keys"]?.array?.first { $0["kid"] == after["rsa_kid"] }
            #expect(jwk?["alg"]?.string == "RS256")
            #expect(jwk?["use"]?.string == "sig")
        }
    }
}
