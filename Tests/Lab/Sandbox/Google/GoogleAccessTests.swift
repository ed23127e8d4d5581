import Jansson
import Sandbox
import Testing

@Suite("Access to Identity Toolkit")
struct GoogleAccessTests {
    private static let lookup: JSON = .object(["localId": .array([])])

    @Test(
        "A token gives access with the scope identitytoolkit or cloud-platform, and with no other",
        arguments: [("identitytoolkit", 200), ("cloud-platform", 200), ("firebase.messaging", 403)])
    func scopes(scope: String, status: Int) async throws {
        try await SandboxClient.withSandbox { client in
            let token = try await client.accessToken(scopes: ["https://www.googleapis.com/auth/" + scope])
            let reply = try await client.admin(":lookup", Self.lookup, bearer: token)
            #expect(reply.status == status)
            if status == 403 { #expect(reply.json?["error"]?["status"]?.string == "PERMISSION_DENIED") }
        }
    }

    @Test("A missing, unknown or revoked token is refused with 401")
    func tokens() async throws {
        try await SandboxClient.withSandbox { client in
            let url = client.addresses.google + "/v1/projects/sandbox/accounts:lookup"
            let bare = try await client.postJSON(url, Self.lookup)
            #expect(bare.status == 401)
            #expect(bare[field: "www-authenticate"]?.hasPrefix("Bearer ") == true)
            #expect(try await client.admin(":lookup", Self.lookup, bearer: "ya29.unknown").status == 401)
            let token = try await client.accessToken(scopes: [SandboxClient.identityToolkit])
            #expect(try await client.admin(":lookup", Self.lookup, bearer: token).status == 200)
            try await client.control("DELETE", "/google/access-tokens")
            #expect(try await client.admin(":lookup", Self.lookup, bearer: token).status == 401)
        }
    }

    @Test("The token named owner is accepted only below the emulator's paths")
    func owner() async throws {
        try await SandboxClient.withSandbox { client in
            let path = "/v1/projects/sandbox/accounts:lookup"
            let owner = ["Authorization: Bearer owner"]
            let plain = try await client.postJSON(client.addresses.google + path, Self.lookup, header: owner)
            #expect(plain.status == 401)
            let emulated = client.addresses.google + "/identitytoolkit.googleapis.com" + path
            #expect(try await client.postJSON(emulated, Self.lookup, header: owner).status == 200)
            let other = try await client.postJSON(emulated, Self.lookup, header: ["Authorization: Bearer other"])
            #expect(other.status == 401)
            try await client.control("PUT", "/google/users", .object(["uid": .string("u1")]))
            let wipe = client.addresses.google + "/emulator/v1/projects/sandbox/accounts"
            #expect(try await client.send("DELETE", wipe, header: owner).status == 200)
            #expect(try await client.control("GET", "/google/users").array == [])
        }
    }

    @Test("An account of another project is refused, and an unknown project is not found")
    func projects() async throws {
        let foreign = try TestServiceAccount(email: "a@other.iam.gserviceaccount.com", projectID: "other")
        try await SandboxClient.withSandbox(google: foreign.settings) { client in
            let order: JSON = .object(["email": .string(foreign.email)])
            let token = try await client.control("POST", "/google/access-token", order)["access_token"]?.string
            #expect(try await client.admin(":lookup", Self.lookup, bearer: token).status == 403)
            let other = try await client.postJSON(
                client.addresses.google + "/v1/projects/other/accounts:lookup", Self.lookup,
                header: ["Authorization: Bearer \(token ?? "")"])
            #expect(other.googleMessage == "PROJECT_NOT_FOUND")
        }
    }

    @Test(
        "A body that is not JSON, or has an unknown member or a wrong type, is an invalid argument",
        arguments: ["[", "{\"locaIId\": []}", "{\"localId\": \"u1\"}"])
    func bodies(body: String) async throws {
        try await SandboxClient.withSandbox { client in
            let token = try await client.accessToken(scopes: [SandboxClient.identityToolkit])
            let reply = try await client.send(
                "POST", client.addresses.google + "/v1/projects/sandbox/accounts:lookup",
                header: ["Authorization: Bearer \(token)", "Content-Type: application/json"], body: body)
            #expect(reply.status == 400)
            #expect(reply.json?["error"]?["status"]?.string == "INVALID_ARGUMENT")
        }
    }

    @Test("A lookup accepts at most 100 identifiers")
    func hundred() async throws {
        try await SandboxClient.withSandbox { client in
            for (count, status) in [(100, 200), (101, 400)] {
                let ids = (0..<count).map { JSON.string("u\($0)") }
                let reply = try await client.admin(":lookup", .object(["localId": .array(ids)]))
                #expect(reply.status == status)
            }
        }
    }

    @Test("A wrong method or path is not found")
    func paths() async throws {
        try await SandboxClient.withSandbox { client in
            for path in [
                "/v1/projects/sandbox/accounts:lookup", "/v1/projects//accounts:lookup", "/token",
                "/v1/projects/-/serviceAccounts/:signBlob",
            ] {
                let reply = try await client.get(client.addresses.google + path)
                #expect(reply.status == 404)
            }
            // The emulator has no token endpoint of OAuth 2.0.
            let emulated = client.addresses.google + "/identitytoolkit.googleapis.com/token"
            #expect(try await client.post(emulated, form: [("grant_type", "none")]).status == 404)
        }
    }

    @Test("Faults of the control listener apply to Google's endpoints, and its log contains them")
    func faults() async throws {
        try await SandboxClient.withSandbox { client in
            try await client.control(
                "PUT", "/faults",
                .object(["target": .string("google.lookup"), "status": .integer(503), "times": .integer(1)]))
            #expect(try await client.admin(":lookup", Self.lookup).status == 503)
            #expect(try await client.admin(":lookup", Self.lookup, tenant: "tenant-1").status == 200)
            let counts = try await client.control("GET", "/requests")["counts"]
            #expect(counts?["google.lookup"]?.integer == 2)
        }
    }

    @Test("A reset leaves no user, session or access token")
    func reset() async throws {
        try await SandboxClient.withSandbox { client in
            let token = try await client.accessToken(scopes: [SandboxClient.identityToolkit])
            let refreshToken = try await client.application("signUp", .object([:])).json?["refreshToken"]?.string
            #expect(try await client.control("GET", "/google/users").array?.count == 1)
            try await client.control("DELETE", "/google")
            #expect(try await client.control("GET", "/google/users").array == [])
            #expect(try await client.refresh(refreshToken ?? "").googleMessage == "INVALID_REFRESH_TOKEN")
            #expect(try await client.admin(":lookup", Self.lookup, bearer: token).status == 401)
        }
    }

    @Test("A secret is read with the scope cloud-platform, by the number of its version or by latest")
    func secrets() async throws {
        try await SandboxClient.withSandbox(google: GoogleSettings(secrets: ["seeded": "123456789"])) { client in
            let token = try await client.accessToken(scopes: [SandboxClient.cloudPlatform])
            func access(_ secret: String, _ version: String, token: String) async throws -> Reply {
                try await client.send(
                    "GET",
                    client.addresses.google + "/v1/projects/sandbox/secrets/\(secret)/versions/\(version):access",
                    header: ["Authorization: Bearer \(token)"])
            }
            let first = try await access("seeded", "latest", token: token).json
            #expect(first?["name"]?.string == "projects/123456789012/secrets/seeded/versions/1")
            #expect(first?["payload"]?["data"]?.string == "MTIzNDU2Nzg5")
            // The check value of CRC-32C for the digits 1 to 9 is E3069283.
            #expect(first?["payload"]?["dataCrc32c"]?.string == "3808858755")
            let other = try await client.accessToken(scopes: [SandboxClient.identityToolkit])
            #expect(try await access("seeded", "1", token: other).status == 403)

            try await client.control(
                "POST", "/google/secrets", .object(["name": .string("seeded"), "value": .string("second")]))
            #expect(try await access("seeded", "latest", token: token).json?["payload"]?["data"]?.string == "c2Vjb25k")
            #expect(try await access("seeded", "1", token: token).status == 200)
            #expect(try await access("seeded", "3", token: token).status == 404)
            #expect(try await access("unknown", "latest", token: token).status == 404)
            try await client.control(
                "POST", "/google/secrets", .object(["name": .string("seeded"), "enabled": .bool(false)]))
            #expect(
                try await access("seeded", "latest", token: token).json?["error"]?["status"]?.string
                    == "FAILED_PRECONDITION")
            try await client.control(
                "POST", "/google/secrets", .object(["name": .string("seeded"), "readable": .bool(false)]))
            #expect(try await access("seeded", "1", token: token).status == 403)
            try await client.control("DELETE", "/google/secrets", .object(["name": .string("seeded")]))
            #expect(try await access("seeded", "1", token: token).status == 404)
        }
    }
}
