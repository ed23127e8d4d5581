import Jansson
import Sandbox
import Testing

@Suite("Yahoo's documents")
struct YahooDocumentTests {
    @Test("Discovery names the revocation endpoint as Yahoo does, and does not mention PKCE")
    func discovery() async throws {
        try await SandboxClient.withSandbox { client in
            let document = try await client.get(client.addresses.yahoo + "/.well-known/openid-configuration").json
            #expect(document?["issuer"]?.string == client.addresses.yahoo)
            #expect(document?["token_revocation_endpoint"]?.string == client.addresses.yahoo + "/oauth2/revoke")
            #expect(document?["revocation_endpoint"] == nil)
            #expect(document?["code_challenge_methods_supported"] == nil)
        }
    }

    @Test("The key set contains RSA keys of 1,024 bits with a leading zero, one of them twice, and two usable keys")
    func keySet() async throws {
        try await SandboxClient.withSandbox { client in
            let keys = try await client.get(client.addresses.yahoo + "/openid/v1/certs").json?["keys"]?.array ?? []
            #expect(keys.compactMap { $0["kty"]?.string } == ["RSA", "RSA", "RSA", "RSA", "EC"])
            let moduli = keys.prefix(3).map { IDToken.decode($0["n"]?.string ?? "") ?? [] }
            #expect(moduli.allSatisfy { $0.count == 129 && $0.first == 0 && $0[1] >= 0x80 })
            #expect(keys[2]["kid"]?.string == "0")
            #expect(moduli[2] == moduli[0])
            #expect(moduli[1] != moduli[0])
            let good = IDToken.decode(keys[3]["n"]?.string ?? "") ?? []
            #expect(good.count == 256 && good[0] >= 0x80)
        }
    }

    @Test(
        "A rotated key stays in the key set if the command says so, and is removed otherwise", arguments: [true, false])
    func rotation(keepsOld: Bool) async throws {
        try await SandboxClient.withSandbox { client in
            func ids() async throws -> [String] {
                let keys = try await client.get(client.addresses.yahoo + "/openid/v1/certs").json?["keys"]?.array
                return (keys ?? []).filter { $0["kty"]?.string == "EC" }.compactMap { $0["kid"]?.string }
            }
            let before = try await ids()
            let new = try await client.control("POST", "/yahoo/rotate", .object(["keep_old": .bool(keepsOld)]))
            #expect(try await ids() == (keepsOld ? before : []) + [new["kid"]?.string ?? ""])
        }
    }
}
