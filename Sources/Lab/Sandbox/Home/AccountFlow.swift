import JOSE
import Jansson
import OpenSSL
import Transport

/// Scenarios about an account: a conflict, and a second factor.
///
/// Each has a person of its own, whose account is removed when the scenario begins, so that it can be repeated.
struct AccountFlow {
    let client: RunClient

    /// Signs Dana in with Yahoo, and returns the URL of a browser sign-in with X.
    ///
    /// X sends the same verified address. Returns `nil` if the run has ended.
    func beginConflict() async throws(Refusal) -> String? {
        await forget(client.scenario.user)
        guard await signIn(client.scenario.user, at: "yahoo.com") != nil else { return nil }
        return try await BrowserFlow(client: client).begin()
    }

    /// Signs Erin in with Yahoo, and adds an authenticator application to her account.
    ///
    /// A panel then shows its codes and leads to a browser sign-in.
    func beginSecondFactor() async throws(Refusal) {
        await forget(client.scenario.user)
        guard let answer = await signIn(client.scenario.user, at: "yahoo.com"), let uid = answer["uid"]?.string,
            let bearer = await idToken(of: uid),
            let factor = await client.success(
                .factor,
                request(
                    "/v1/account/factors",
                    ["client_id": .string(HomeClient.id), "type": .string("totp"), "name": .string("Sandbox")],
                    by: bearer),
                note: "The application shows the otpauth_uri as a QR code, which an authenticator application reads."),
            let id = factor["factor_id"]?.string,
            let authenticator = factor["secret"]?.string.flatMap(SandboxAuthenticator.init)
        else { return }
        // The first code is that of the step before, so that the present one still signs in.
        let code = authenticator.code(at: await client.store.now - SandboxAuthenticator.period)
        let confirmed = await client.success(
            .confirmation,
            request(
                "/v1/account/factors/confirm",
                ["client_id": .string(HomeClient.id), "factor_id": .string(id), "totp": .string(code)], by: bearer),
            note: "The first code confirms that the authenticator application has the secret.")
        guard confirmed != nil else { return }
        await client.store.keep(authenticator, for: client.run)
        _ = try await BrowserFlow(client: client).begin()
    }

    /// Signs a person in by a credential of a provider; returns `nil` if the run has ended.
    func signIn(
        _ user: SandboxUser, at provider: String, protocol: String? = nil, note: String? = nil
    ) async -> JSON? {
        guard let proof = await proof(of: user, at: provider, protocol: `protocol`) else { return nil }
        return await client.success(
            .exchange, .json(client.server.publicURL + "/v1/exchange", .object(proof)),
            note: note
                ?? """
                With the access token the server reads the profile, and so the verified address. \(user.name) has an account \
                now.
                """)
    }

    /// Requests a nonce and has a stand-in issue a credential for it.
    ///
    /// - Parameters:
    ///   - user: The person.
    ///   - provider: The provider.
    ///   - protocol: X's protocol; `nil` for an ID token.
    /// - Returns: The members of a request that proves the identity; `nil` if the run has ended.
    func proof(of user: SandboxUser, at provider: String, protocol: String? = nil) async -> [String: JSON]? {
        let flow = LibraryFlow(client: client)
        guard let nonce = await flow.nonce(.nonce, at: provider) else { return nil }
        guard
            let issued = await flow.issue(
                .library, Self.command(user, protocol: `protocol`, nonce: .string(nonce.value)), at: provider,
                note: "POST /issue replaces the library here: the stand-in answers as if \(user.name) had consented.")
        else { return nil }
        return Self.proof(issued, at: provider, nonce: .string(nonce.verifier))
    }

    /// The members of a `POST /issue` request.
    ///
    /// A token pair of OAuth 1.0a contains no nonce.
    private static func command(_ user: SandboxUser, protocol: String?, nonce: JSON) -> [String: JSON] {
        let last = `protocol`.map { ["protocol": JSON.string($0)] } ?? ["nonce": nonce]
        return last.merging(["user": .string(user.key)]) { $1 }
    }

    private static func proof(_ issued: JSON, at provider: String, nonce: JSON) -> [String: JSON] {
        let isPair = issued["oauth_token"] != nil
        var credential: [String: JSON] = [
            "type": .string(isPair ? "oauth1_token" : "id_token"), "nonce": nonce,
        ]
        for name in isPair ? ["oauth_token", "oauth_token_secret"] : ["id_token", "access_token"] {
            credential[name] = issued[name]
        }
        return [
            "client_id": .string(HomeClient.id), "provider": .string(provider), "credential": .object(credential),
        ]
    }

    // MARK: - The account of an earlier run

    /// Removes the accounts that a person has, without a record.
    ///
    /// Linking the person's identities to another account tells which accounts have them.
    func forget(_ user: SandboxUser) async {
        guard let name = try? RandomText.make(22), let other = await idToken(of: "sandbox-" + name) else { return }
        for (provider, name) in [("yahoo.com", nil), ("twitter.com", "oauth1")] {
            guard let proof = await credential(of: user, at: provider, protocol: name),
                case .answer(let response)? = await quietly(request("/v1/account/link", proof, by: other)),
                let uid = (try? JSON.parse(response.body))?["existing_uid"]?.string, let bearer = await idToken(of: uid)
            else { continue }
            _ = await quietly(deletion(by: bearer))
        }
        _ = await quietly(deletion(by: other))
    }

    /// The members of a request that proves an identity of a person.
    private func credential(
        of user: SandboxUser, at provider: String, protocol: String?
    ) async -> [String: JSON]? {
        let members: [String: JSON] = ["client_id": .string(HomeClient.id), "provider": .string(provider)]
        guard
            let nonce = await quietly(.json(client.server.publicURL + "/v1/nonce", .object(members)))?.success
        else { return nil }
        let command = Self.command(user, protocol: `protocol`, nonce: nonce["nonce"] ?? .null)
            .merging(["provider": .string(provider)]) { $1 }
        guard let issued = await quietly(.json(client.origin + "/issue", .object(command)))?.success else { return nil }
        return Self.proof(issued, at: provider, nonce: nonce["nonce_verifier"] ?? .null)
    }

    /// Returns a Firebase ID token of a session that has proven a second factor.
    ///
    /// Google's stand-in signs it, and creates the user if there is none, because a user whom Firebase does not know may
    /// not change an account. A real application gets one from Firebase after a sign-in.
    func idToken(of uid: String) async -> String? {
        let claims: [String: JSON] = [
            "second_factor": .string("totp"), "second_factor_time": .integer(await client.store.now),
        ]
        return await quietly(
            .json(
                client.origin + "/google/id-token",
                .object(["uid": .string(uid), "create": .bool(true), "claims": .object(claims)])))?
            .success?["id_token"]?.string
    }

    private func quietly(_ request: RecordedRequest) async -> Outcome? {
        await RunClient.outcome(of: request, by: client.server.transport)
    }

    func request(_ path: String, _ members: [String: JSON], by bearer: String) -> RecordedRequest {
        var request = RecordedRequest.json(client.server.publicURL + path, .object(members))
        request.header.append(HeaderField("Authorization", "Bearer " + bearer))
        return request
    }

    func deletion(by bearer: String) -> RecordedRequest {
        RecordedRequest(
            method: .delete, url: client.server.publicURL + "/v1/account",
            header: [HeaderField("Authorization", "Bearer " + bearer)])
    }
}

/// The authenticator application of a run (RFC 6238): SHA-1, six digits, steps of 30 seconds.
struct SandboxAuthenticator: Sendable {
    static let period: Int64 = 30

    private let secret: [UInt8]

    /// - Parameter text: The secret in base32 without padding (RFC 4648 §6). The result is `nil` for any other text.
    init?(_ text: String) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (buffer, bits, bytes) = (0, 0, [UInt8]())
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            buffer = (buffer << 5 | value) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 255))
            }
        }
        secret = bytes
    }

    /// Returns the code of a time in seconds (RFC 4226 §5.3).
    func code(at time: Int64) -> String {
        let step = time / Self.period
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let digest = HMACSHA1.authenticationCode(for: counter, key: secret)
        let offset = Int(digest[19] & 15)
        let number = digest[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// The panel with the codes of a run’s authenticator application.
struct AuthenticatorView {
    private let url: String
    private let authenticator: SandboxAuthenticator
    private let now: Int64
    private let run: Run

    /// Returns `nil` unless the run waits for a sign-in with a code.
    init?(run: Run, now: Int64) {
        guard case .awaitingCode = run.stage, let authenticator = run.authenticator,
            let step = run.steps.last(where: { $0.kind == .authorize })
        else { return nil }
        url = step.request.url
        self.authenticator = authenticator
        self.now = now
        self.run = run
    }

    var html: String {
        let period = SandboxAuthenticator.period
        let left = period - now % period
        return """
            <section class="panel" aria-labelledby="head">
            <h2 id="head">Erin’s account has a second factor now</h2>
            <p class="code"><code id="code">\(authenticator.code(at: now))</code></p>
            <p>Erin’s authenticator application shows this code for \(left) seconds, and then \
            <code>\(authenticator.code(at: now + period))</code>. The server accepts a code for half a minute longer. \
            <a href="/runs/\(run.id)">Show the present code.</a></p>
            <ol>
            <li><a class="button primary" id="open" href="\(Page.escape(url))" target="_blank" rel="noopener">Sign in as \
            Erin</a> (opens in a new tab). She is selected at Yahoo.</li>
            <li>The server asks for the code before it promises anything to the application. Type a wrong one first.</li>
            <li>The custom token then has the claim <code>second_factor</code>.</li>
            </ol>
            </section>
            """
    }
}
