internal import JOSE
internal import Logging
internal import Providers
internal import SQLiteStores
internal import Settings
internal import Standards
internal import Stores
internal import Transport

/// Walks a sign-in at one provider, and says which setting of PKCE the provider accepts.
struct SignInCheck {
    private let walk: SignInWalk
    private let signInProtocol: SignInProtocol
    private let recorder: CallRecorder

    /// - Parameters:
    ///   - flow: A flow of the provider; `nil` for its default flow.
    ///   - redirectURI: The redirect URI; `nil` for that of the server.
    ///   - say: Shows a text to the operator.
    /// - Throws: Exit 64 for a provider or a flow that the configuration does not have.
    init(
        _ settings: Settings, provider id: ProviderID, flow: String?, redirectURI: String?, transport: HTTPTransport,
        time: TimeSource, inbox: RedirectInbox, say: @escaping @Sendable (String) -> Void
    ) throws {
        recorder = CallRecorder()
        let transport = recorder.observing(transport)
        let providers = Composition.providers(
            settings, transport: transport, time: time,
            logger: Logger(label: "doctor") { _ in SwiftLogNoOpLogHandler() }, keeping: (nil, [:]))
        guard let provider = providers.first(where: { $0.id == id }) else {
            let ids = providers.map(\.id.text).joined(separator: ", ")
            throw Exit.because("--sign-in: the configuration has only the providers \(ids)", Exit.usage)
        }
        let name = flow ?? provider.defaultFlow
        guard let signInProtocol = provider.protocols[name] else {
            let flows = provider.protocols.keys.sorted().joined(separator: ", ")
            throw Exit.because("--flow: \(provider.id) has only \(flows)", Exit.usage)
        }
        self.signInProtocol = signInProtocol
        walk = SignInWalk(
            provider: provider, subject: provider.protocols.count > 1 ? "\(provider.id) \(name)" : "\(provider.id)",
            redirectURI: redirectURI ?? settings.server.publicURL + "/callback/" + provider.id.text,
            components: SignInComponents(
                transport: transport, singleUse: SingleUse(store: try SQLiteStore.inMemory(), time: time), time: time),
            inbox: inbox, say: say)
    }

    /// Tells the operator what to do with the browser.
    ///
    /// - Parameter isListening: Whether this command receives the redirect itself.
    func explain(isListening: Bool) {
        guard !isListening else {
            return walk.say(
                "This command waits for the browser at \(walk.redirectURI). If the provider shows a page of its own and does "
                    + "not send the browser back, enter an empty line.\n")
        }
        walk.say(
            "The provider sends the browser back to \(walk.redirectURI). If the server runs there, it shows an error page, "
                + "because this sign-in is not its own. Copy the whole address of that page, and enter it here at once. If "
                + "the provider shows a page of its own and does not send the browser back, enter an empty line.\n")
    }

    func findings() async -> [Finding] {
        let findings: [Finding]
        switch signInProtocol {
        case .openIDConnect(let openIDConnect):
            findings = await compared(openIDConnect.pkce) { pkce in
                var other = openIDConnect
                other.pkce = pkce
                return .openIDConnect(other)
            }
        case .oauth2(let oauth2):
            findings = await compared(oauth2.pkce) { pkce in
                var other = oauth2
                other.pkce = pkce
                return .oauth2(other)
            }
        case .oauth1: findings = await outcome(signInProtocol).findings
        }
        return findings + [recorder.finding("sign_in.calls", at: walk.provider.id, of: walk.subject)]
    }

    private func outcome(_ signInProtocol: SignInProtocol, sendsOwnVerifier: Bool = true) async -> WalkOutcome {
        do throws(WalkStop) {
            return WalkOutcome(
                findings: try await walk.walk(signInProtocol, sendsOwnVerifier: sendsOwnVerifier), stop: nil)
        } catch {
            return WalkOutcome(findings: [error.finding], stop: error)
        }
    }

    /// Walks with the configured setting of PKCE, and with the other one if that may be the better one.
    ///
    /// `S256` is the better one if the provider issues tokens with it, and refuses them for another code verifier. Only a
    /// sign-in shows that, because the provider may refuse the challenge at the authorization endpoint, on a page of its own,
    /// or the verifier at the token endpoint.
    private func compared(
        _ configured: ProofKeyMethod, _ with: (ProofKeyMethod) -> SignInProtocol
    ) async -> [Finding] {
        let first = await outcome(with(configured))
        if configured == .s256, first.isRedeemed {
            walk.say(
                "Now the same with a wrong code_verifier, which the provider has to refuse. Enter an empty line to leave this "
                    + "out.\n")
            let second = await outcome(with(.s256), sendsOwnVerifier: false)
            return first.findings + [PKCEFindings.comparison(second, of: walk.subject)]
        }
        guard first.mayDependOnPKCE else { return first.findings }
        let other: ProofKeyMethod = configured == .off ? .s256 : .off
        walk.say(
            "Now the same with pkce: \(other.text), which the configuration does not have. If the provider shows a page "
                + "of its own instead of sending the browser back, enter an empty line.\n")
        let second = await outcome(with(other))
        switch (first.isRedeemed, second.isRedeemed) {
        case (true, _): return first.findings + [PKCEFindings.hardening(second, of: walk.subject)]
        case (false, true): return second.findings + [PKCEFindings.correction(to: other, of: walk.subject)]
        case (false, false): return first.findings
        }
    }
}

/// How far a walk came.
struct WalkOutcome {
    let findings: [Finding]
    /// `nil` if the walk came to its end.
    let stop: WalkStop?

    /// Whether the provider has issued tokens for the code.
    var isRedeemed: Bool { stop == nil || stop?.step == .verification }

    /// Whether the other setting of PKCE may lead to another outcome.
    var mayDependOnPKCE: Bool { isRedeemed || stop?.isAboutRequest == true }
}

/// What two walks with different settings of PKCE show.
enum PKCEFindings {
    /// Judges the setting `S256`, with which the provider issues tokens.
    ///
    /// - Parameters:
    ///   - attempt: The walk with a wrong code verifier.
    ///   - subject: The provider.
    /// - Returns: An error if the provider issues tokens for it too (RFC 7636 §4.6).
    static func comparison(_ attempt: WalkOutcome, of subject: String) -> Finding {
        let id = "sign_in.pkce"
        if attempt.isRedeemed {
            return Finding(
                id, of: subject, .error,
                "The provider issues tokens for a wrong code_verifier too, so that PKCE protects nothing there.",
                remedy:
                    "Set pkce: off for this provider, if this client has a client secret or client_key there, so that this server "
                    + "does not rely on PKCE. With protocol: oauth2 leave authorization_code out of accept, if it is written."
            )
        }
        guard attempt.stop?.step == .redemption, attempt.mayDependOnPKCE else {
            return Finding(
                id, of: subject, .ok,
                "The provider issues tokens with pkce: S256. Whether it compares the verifier was not tested.")
        }
        return Finding(
            id, of: subject, .ok, "The provider issues tokens with pkce: S256, and refuses a wrong code_verifier.")
    }

    /// Judges the setting `off`, with which the provider issues tokens.
    ///
    /// - Parameters:
    ///   - attempt: The walk with `S256`.
    ///   - subject: The provider.
    /// - Returns: A warning if the provider issues them with `S256` too (RFC 9700 §2.1.1).
    static func hardening(_ attempt: WalkOutcome, of subject: String) -> Finding {
        let id = "sign_in.pkce"
        guard !attempt.isRedeemed else {
            return Finding(
                id, of: subject, .warning, "pkce is off, and the provider issues tokens with S256 too.",
                remedy:
                    "Set pkce: S256 for this provider, unless this command has shown with it that a wrong code_verifier gets "
                    + "tokens too. If the provider compares the verifier, a code is useless without it.")
        }
        guard attempt.stop?.step != .ended else {
            return Finding(id, of: subject, .skipped, "The input ended, so that S256 was not tried.")
        }
        guard attempt.mayDependOnPKCE else {
            return Finding(
                id, of: subject, .skipped, "The walk with S256 failed for another reason.", remedy: "Run it again.")
        }
        return Finding(
            id, of: subject, .ok, "pkce: off is right, because the provider refuses the request, or the code, of S256.")
    }

    /// Reports that only the setting that is not configured leads to tokens.
    static func correction(to pkce: ProofKeyMethod, of subject: String) -> Finding {
        Finding(
            "sign_in.pkce", of: subject, .error,
            "With the configured setting the provider issues no tokens, and with pkce: \(pkce.text) it does.",
            remedy: "Set pkce: \(pkce.text) for this provider."
                + (pkce == .off ? " This needs a client with a secret or client_key there." : ""))
    }
}

extension ProofKeyMethod {
    /// The value of `pkce` in the configuration.
    var text: String {
        switch self {
        case .s256: "S256"
        case .off: "off"
        }
    }
}
