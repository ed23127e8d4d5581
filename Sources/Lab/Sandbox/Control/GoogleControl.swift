import Jansson
import OpenSSL

/// The commands below `/google`, which control Google's stand-in.
///
/// | call | effect |
/// | --- | --- |
/// | `GET /google` | project, API key, service accounts, names of secrets, tenants |
/// | `PUT /google/service-accounts` `{"email", "public_key": PEM, "key_id"?, "project_id"?}` | registers one |
/// | `DELETE /google/service-accounts` `{"email"}` | removes one; its access tokens become invalid |
/// | `PUT /google/tenants` `{"tenants": ["tenant-1"]}` | sets the list of tenants; they keep their users |
/// | `GET /google/users?tenant_id=` | the users in the form of `accounts:lookup` |
/// | `PUT /google/users` | ``FirebaseUserCommand`` |
/// | `DELETE /google/users` | removes all users of all tenants, and their sessions |
/// | `POST /google/sign-in` `{"token": custom token}` | signs in as `accounts:signInWithCustomToken` does |
/// | `POST /google/refresh` `{"refresh_token"}` | another ID token of the session |
/// | `POST /google/id-token` | ``FirebaseIDTokenCommand`` |
/// | `POST /google/app-check-token` | ``AppCheckTokenCommand`` |
/// | `POST /google/access-token` `{"email"?, "scopes"?, "expires_in"?}` | an access token |
/// | `DELETE /google/access-tokens` | revokes all of them |
/// | `POST /google/rotate` `{"keys": "id_token", "keep_old": true}` | a new signing key for `id_token` or `app_check` |
/// | `POST /google/secrets` `{"name", "value"?, "readable"?, "enabled"?}` | ``GoogleSecretCommand``, at Secret Manager |
/// | `DELETE /google/secrets` `{"name"}` | removes one with its versions |
/// | `DELETE /google` | removes users, sessions and access tokens; accounts, tenants and keys stay |
struct GoogleControl: ControlSection {
    private enum Ring: String, CaseIterable {
        case idToken = "id_token"
        case appCheck = "app_check"
    }

    let google: GoogleStandIn

    func answer(
        _ request: IncomingRequest, command: () throws(ControlError) -> JSON
    ) async throws(ControlError) -> Answer? {
        switch (request.method, request.path) {
        case ("GET", "/google"):
            return .json(await google.summary)
        case ("DELETE", "/google"):
            await google.removeAccessTokens()
            await google.removeUsers()
        case ("PUT", "/google/service-accounts"):
            await google.register(try await account(try command()))
        case ("DELETE", "/google/service-accounts"):
            var input = try ControlInput(try command())
            let email = try input.requiredString("email")
            try input.finish()
            guard await google.forget(serviceAccount: email) else { throw .refused("No such account.") }
        case ("POST", "/google/secrets"):
            return .json(try await google.change(GoogleSecretCommand(try command())))
        case ("DELETE", "/google/secrets"):
            var input = try ControlInput(try command())
            let name = try input.requiredString("name")
            try input.finish()
            guard await google.forget(secret: name) else { throw .refused("No such secret.") }
        case ("PUT", "/google/tenants"):
            var input = try ControlInput(try command())
            let tenants = try input.strings("tenants")
            try input.finish()
            await google.setTenants(tenants)
        case ("GET", "/google/users"):
            return .json(try await google.users(of: request.queryParameters?["tenant_id"]))
        case ("PUT", "/google/users"):
            return .json(try await google.change(FirebaseUserCommand(try command())))
        case ("DELETE", "/google/users"):
            await google.removeUsers()
        case ("POST", "/google/sign-in"):
            do {
                return .json(.object(try await google.signInWithCustomToken(request)))
            } catch {
                throw .refused("The custom token is refused.")
            }
        case ("POST", "/google/refresh"):
            return .json(.object(try await refresh(try command())))
        case ("POST", "/google/id-token"):
            return .json(try await google.make(FirebaseIDTokenCommand(try command())))
        case ("POST", "/google/app-check-token"):
            return .json(try await google.make(AppCheckTokenCommand(try command())))
        case ("POST", "/google/access-token"):
            return .json(try await accessToken(try command()))
        case ("DELETE", "/google/access-tokens"):
            await google.removeAccessTokens()
        case ("POST", "/google/rotate"):
            return .json(try await rotate(try command()))
        default:
            return nil
        }
        return Answer(204)
    }

    private func refresh(_ command: JSON) async throws(ControlError) -> [String: JSON] {
        var input = try ControlInput(command)
        let token = try input.requiredString("refresh_token")
        try input.finish()
        do throws(Refusal) {
            return try await google.refresh(token)
        } catch {
            let body = try? JSON.parse(error.answer.body)
            throw .refused(body?["error"]?["message"]?.string ?? "The refresh token is refused.")
        }
    }

    private func account(_ command: JSON) async throws(ControlError) -> GoogleServiceAccount {
        var input = try ControlInput(command)
        let email = try input.requiredString("email")
        let projectID = try input.string("project_id") ?? google.projectID
        let keyID = try input.string("key_id")
        let pem = try input.requiredString("public_key")
        try input.finish()
        guard let key = try? RSAPublicKey(pem: pem) else {
            throw .invalid(member: "public_key", expected: "an RSA key of 2048 to 4096 bits, or a certificate, in PEM")
        }
        return GoogleServiceAccount(
            email: email, projectID: projectID, keyID: keyID, publicKey: key,
            certificate: pem.contains("BEGIN CERTIFICATE") ? pem : nil)
    }

    private func accessToken(_ command: JSON) async throws(ControlError) -> JSON {
        var input = try ControlInput(command)
        let email = try input.string("email")
        let scopes = try input.optionalStrings("scopes") ?? [GoogleScope.cloudPlatform]
        let lifetime = try input.integer("expires_in", in: 0...1_000_000) ?? 3600
        try input.finish()
        return try await google.makeAccessToken(for: email, scopes: Set(scopes), lifetime: lifetime)
    }

    private func rotate(_ command: JSON) async throws(ControlError) -> JSON {
        var input = try ControlInput(command)
        let ring = try input.word("keys", Ring.self) ?? .idToken
        let keepsOld = try input.bool("keep_old") ?? true
        try input.finish()
        return try await google.rotate(appCheck: ring == .appCheck, keepingOld: keepsOld)
    }
}
