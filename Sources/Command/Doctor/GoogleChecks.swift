internal import Firebase
internal import JOSE
internal import Jansson
@_spi(OperatorMinting) internal import Minting
internal import Settings
internal import Standards
internal import Transport

/// Checks of the service account, and of its permissions at Google.
struct GoogleChecks {
    /// The uid for which custom tokens are made here; it belongs to no person.
    private static let uid = UID(constant: "token-exchange-doctor")

    private let firebase: Settings.Firebase
    private let projectID: String
    /// The longest lifetime of a custom token that the server issues.
    private let lifetime: Duration
    /// The names of the developer claims that the configuration gives to every custom token.
    private let claims: [String]
    private let account: ServiceAccount?
    private let identity: GoogleIdentity
    private let toolkit: IdentityToolkit
    private let transport: HTTPTransport
    private let time: TimeSource

    /// - Throws: Exit 78 for a service account that cannot be used.
    init(_ settings: Settings, transport: HTTPTransport, time: TimeSource) throws {
        firebase = settings.firebase
        lifetime = settings.clients.map(\.tokenLifetime).max() ?? settings.firebase.tokenLifetime
        claims = settings.claims.keys.sorted()
        account = try ServiceAccounts.load(settings).first
        projectID = firebase.projectID ?? account?.projectID ?? ""
        self.transport = transport
        self.time = time
        identity = try GoogleIdentity(
            firebase, account, threadCount: 1, transport: transport, time: time)
        toolkit = IdentityToolkit(
            IdentityToolkitEndpoint(
                origin: firebase.endpoints.identityToolkit, projectID: projectID, tenantID: firebase.tenantID,
                tokens: identity.accessTokens, transport: transport, time: time,
                retries: IdentityToolkitRetryPolicy(identity.throttle)))
    }

    func findings() async -> [Finding] {
        if case .emulator(let host) = firebase.signing {
            let unsigned = Finding(
                "google.emulator", .warning, "Tokens are unsigned, for the emulator at \(host).",
                remedy: "Remove firebase.emulator_host in production.")
            return [unsigned, await silence(of: host)].compactMap(\.self)
        }
        let access = await accessToken()
        let (signature, token) = await signature()
        guard access.severity == .ok else { return [access] + signature }
        async let lookup = lookup()
        let deletion = await deletion()
        return [access] + signature + [await lookup, deletion, await redemption(of: token, canDelete: deletion)]
    }

    /// Judges whether the emulator runs; returns nothing if anything answers.
    private func silence(of emulator: String) async -> Finding? {
        do throws(TransportError) {
            _ = try await transport.send(OutboundRequest(.get, "http://\(emulator)/"))
            return nil
        } catch .unreachable {
            return Finding(
                "google.emulator", .error, "Nothing answers at the emulator \(emulator).",
                remedy:
                    "Start it (firebase emulators:start --only auth), or correct firebase.emulator_host. In a container, "
                    + "127.0.0.1 is the container itself: start the emulator in it, or let it use the network of the machine."
            )
        } catch {
            return nil
        }
    }

    private func accessToken() async -> Finding {
        do throws(AccessTokenError) {
            _ = try await identity.accessTokens.token(nil)
            return Finding("google.access_token", .ok, "Google issues access tokens to \(identity.caller).")
        } catch {
            let fault: MintingError? = if case .unsigned = error { await signerFault() } else { nil }
            let isNeeded = fault != .process(.refused(.accessTokensNotAllowed)) || needsUsers
            return Finding(
                "google.access_token", isNeeded ? .error : .warning,
                "There is no access token: \(fault?.sentence ?? error.sentence).",
                remedy: fault.map { remedy(for: $0) } ?? remedy(for: error))
        }
    }

    /// Asks the signer why there is no access token; returns `nil` if it has signed now.
    private func signerFault() async -> MintingError? {
        do throws(MintingError) {
            _ = try await identity.signer.accessTokenAssertion()
            return nil
        } catch {
            return error
        }
    }

    /// Whether each sign-in, or each call with a Firebase ID token, asks Identity Toolkit.
    private var needsUsers: Bool { firebase.directory == .firebase || firebase.checksRevocation }

    /// Makes a custom token and verifies it with the keys that Google publishes for the service account.
    ///
    /// - Returns: The findings about the signature and the age of its key, and the token if its signature is valid.
    private func signature() async -> ([Finding], String?) {
        let id = "google.signature"
        let token: String
        do {
            token = try await identity.signer.token(
                uid: Self.uid.text,
                developerClaims: DeveloperClaims(Dictionary(uniqueKeysWithValues: claims.map { ($0, .string("")) })),
                tenantID: firebase.tenantID, issuedAt: time.now(), lifetime: lifetime)
        } catch {
            return (
                [
                    Finding(
                        id, .error, "No custom token can be signed: \(error.sentence).",
                        remedy: remedy(for: error))
                ], nil
            )
        }
        guard let jws = try? CompactJWS.parse(token),
            let issuer = (try? JSON.parse(jws.payload))?["iss"]?.string
        else { return ([Finding(id, .error, "The custom token cannot be read.")], nil) }
        let project = GoogleIdentity.projectWarning(of: issuer, firebase.projectID).map {
            Finding("google.project", .warning, "\($0.prefix(1).uppercased() + $0.dropFirst()).")
        }
        do throws(TransportError) {
            let response = try await transport.send(
                OutboundRequest(.get, firebase.endpoints.serviceAccountKeys + "/" + issuer))
            let (signature, valid) = judged(jws, token, by: response, of: issuer)
            let age = ServiceAccountKeyAge.finding(
                jws.header.keyID?.text, in: response.body, of: issuer, at: time.now())
            return ([project, signature, valid == nil ? nil : age].compactMap(\.self), valid)
        } catch {
            return (
                [
                    Finding(
                        id, of: issuer, .skipped,
                        "The published keys of the service account cannot be fetched: \(error.sentence).")
                ], nil
            )
        }
    }

    private func judged(
        _ jws: CompactJWS, _ token: String, by response: OutboundResponse, of issuer: String
    ) -> (Finding, String?) {
        let id = "google.signature"
        if response.status == 429 || response.status >= 500 {
            let text = "The published keys of the service account cannot be fetched: the status is \(response.status)."
            return (Finding(id, of: issuer, .skipped, text, remedy: Self.passing), nil)
        }
        guard response.status == 200, let keys = try? FirebaseKeys.parse(response.body) else {
            return (
                Finding(
                    id, of: issuer, .error,
                    "There are no keys of this service account where Google publishes them (status \(response.status)).",
                    remedy: "If the Google Cloud console does not show it, create a service account, and name it or "
                        + "its key in section firebase. If firebase.endpoints is written, compare service_account_keys. "
                        + OutboundResponse.adviceOnProxies),
                nil
            )
        }
        // A token of signBlob names no key. Google has made its signature, and rotates the key.
        if case .iam = firebase.signing, jws.header.keyID == nil {
            return (Finding(id, of: issuer, .ok, "Google signs custom tokens for this service account."), token)
        }
        guard (try? JWSVerifier.verifiedPayload(of: jws, keys: keys, algorithms: [.rs256])) != nil else {
            let name = jws.header.keyID.map { "private_key_id \($0.text.shown)" } ?? "without private_key_id"
            return (
                Finding(
                    id, of: issuer, .error,
                    "The key that signs (\(name)) is not among the keys that Google publishes.",
                    remedy:
                        "If it was made within the last minutes, run the command again. If its file was changed, use the one "
                        + "that the console offered for download. If the key was deleted or disabled, generate another in the "
                        + "console, and put its file first in service_account."),
                nil
            )
        }
        return (Finding(id, of: issuer, .ok, "Google publishes the key that signs custom tokens."), token)
    }

    private func lookup() async -> Finding {
        do throws(IdentityToolkitError) {
            _ = try await toolkit.user(Self.uid)
            return Finding("google.lookup", .ok, "\(caller) may look users up.")
        } catch {
            return permission("google.lookup", "look users up", error)
        }
    }

    /// Deletes the user that an earlier run may have left.
    private func deletion() async -> Finding {
        do throws(IdentityToolkitError) {
            _ = try await toolkit.delete(Self.uid)
            return Finding("google.delete", .ok, "\(caller) may delete users.")
        } catch {
            return permission("google.delete", "delete users", error)
        }
    }

    private func permission(_ id: String, _ action: String, _ error: IdentityToolkitError) -> Finding {
        guard error == .permissionDenied(.role) else {
            let mayBeMissing =
                switch error {
                case .permissionDenied, .rejected(status: 403, _): !needsUsers
                default: false
                }
            let severity: Finding.Severity = mayBeMissing ? .warning : .error
            return Finding(
                id, severity, "\(caller) cannot \(action): \(error.sentence).", remedy: remedy(for: error))
        }
        return Finding(
            id, needsUsers ? .error : .warning, "\(caller) may not \(action).",
            remedy: "If it lacks the role Firebase Authentication Admin in the project \(projectID), grant it."
                + (needsUsers ? "" : " Without it, deleted and merged accounts keep their Firebase users."))
    }

    /// The identity of the calls, at the beginning of a sentence: it may be another one than the service account that signs.
    private var caller: String { identity.caller.prefix(1).uppercased() + identity.caller.dropFirst() }

    /// Signs in at Firebase with the custom token, and deletes the user that this creates.
    private func redemption(of token: String?, canDelete deletion: Finding) async -> Finding {
        let id = "google.redeem"
        guard let apiKey = firebase.apiKey else {
            return Finding(id, .skipped, "Without firebase.api_key no custom token can be tried at Firebase.")
        }
        guard let token, deletion.severity == .ok else {
            return Finding(id, .skipped, "Without a valid token and the right to delete its user, none is tried.")
        }
        do throws(IdentityToolkitError) {
            _ = try await toolkit.redeem(Secret(token), apiKey: Secret(apiKey.secretText))
            let isDeleted = (try? await toolkit.delete(Self.uid)) != nil
            return Finding(
                id, .ok,
                "Firebase accepts the custom tokens. The user \(Self.uid) was created for it and \(isDeleted ? "deleted" : "is left")."
            )
        } catch {
            return Finding(
                id, .error, "There is no session for the custom token: \(error.sentence).", remedy: remedy(for: error))
        }
    }
}

extension GoogleChecks {
    private static let passing = "Try again later. \(OutboundResponse.adviceOnProxies)"

    fileprivate func remedy(for error: AccessTokenError) -> String {
        switch (firebase.signing, error) {
        case (.iam(_, nil), .unreachable):
            "Without firebase.google_credentials, the metadata server of Google Cloud is asked. If this machine is not on "
                + "Google Cloud, name a file as firebase.google_credentials; otherwise let it reach that server."
        case (_, .unreachable(let error)): error.remedy
        case (_, .unsigned): SignerProcessAdvice.general
        default: error.advice ?? Self.passing
        }
    }

    fileprivate func remedy(for error: IdentityToolkitError) -> String {
        switch error {
        case .accessToken(let error): remedy(for: error)
        case .unreachable(let error): error.remedy
        default: error.advice ?? Self.passing
        }
    }

    fileprivate func remedy(for error: MintingError) -> String {
        switch (firebase.signing, error) {
        case (.process, .process(let cause)): SignerProcessAdvice.text(for: cause)
        case (.process, _): SignerProcessAdvice.general
        case (.iam, .accessToken(let error)): remedy(for: error)
        case (.iam, .unreachable(let error)): error.remedy
        case (.iam, _): error.advice ?? "Try again later. If firebase.endpoints is written, compare iam_credentials."
        default: "Use the key file that the console offered for download, unchanged."
        }
    }
}
