import Testing

/// Code that must not compile, with the message it must give, and code beside it that must.
struct Snippet: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let refused: String
    let error: String
    let control: String

    init(_ sentence: String, error: String, _ refused: String, control: String) {
        testDescription = sentence
        self.refused = refused
        self.error = error
        self.control = control
    }

    static let all = [
        Snippet(
            "only the exchange room makes provider tokens",
            error: "'ProviderTokens' initializer is inaccessible due to 'internal' protection level",
            """
            import Exchange
            import OAuth
            func forge() -> ProviderTokens {
                ProviderTokens(
                    provider: ProviderID("yahoo.com"), idToken: nil, accessToken: nil, refreshToken: nil,
                    expiresIn: nil, scope: nil, tokenCredentials: nil, userID: "1", screenName: nil)
            }
            """,
            control: """
                import Exchange
                import OAuth
                func subject(of tokens: ProviderTokens) -> String? { tokens.userID }
                """),
        Snippet(
            "only the verification room makes verified identities",
            error: "'VerifiedIdentity' initializer is inaccessible due to 'internal' protection level",
            """
            import OAuth
            import Providers
            import Verification
            func forge(_ tokens: ReturnedTokens) -> VerifiedIdentity {
                VerifiedIdentity(
                    provider: ProviderID("yahoo.com"), subject: "1", profile: Profile(),
                    profileState: .whole, profileRefusal: nil,
                    audienceProof: .idTokenAudience, authenticatedAt: nil, tokens: tokens, returnable: [])
            }
            """,
            control: """
                import OAuth
                import Verification
                func proof(of identity: VerifiedIdentity) -> AudienceProof { identity.audienceProof }
                """),
        Snippet(
            "only the accounts room makes accounts",
            error: "'Account' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import Verification
            func forge(_ uid: UID, _ identity: VerifiedIdentity) -> Account {
                Account(uid: uid, isNew: false, identity: identity)
            }
            """,
            control: """
                import Accounts
                import Verification
                func account(of identity: VerifiedIdentity, _ accounts: AccountResolver) async throws -> Account {
                    try await accounts.resolve(identity)
                }
                """),
        Snippet(
            "only the minting room makes custom tokens",
            error: "'CustomToken' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import Minting
            import OAuth
            func forge(_ uid: UID) -> CustomToken {
                CustomToken(secret: Secret("a.b.c"), uid: uid, expiresIn: 300)
            }
            """,
            control: mint),
        Snippet(
            "nothing is minted for what the provider merely said",
            error: "cannot convert value of type 'ProviderTokens' to expected argument type 'Account'",
            """
            import Exchange
            import Minting
            import OAuth
            func mint(_ tokens: ProviderTokens, _ minter: Minter) async throws -> CustomToken {
                try await minter.mint(tokens, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
            }
            """,
            control: mint),
        Snippet(
            "nothing is minted for an identity without an account",
            error: "cannot convert value of type 'VerifiedIdentity' to expected argument type 'Account'",
            """
            import Minting
            import OAuth
            import Verification
            func mint(_ identity: VerifiedIdentity, _ minter: Minter) async throws -> CustomToken {
                try await minter.mint(identity, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
            }
            """,
            control: mint),
        Snippet(
            "nobody has an account who is not verified",
            error: "cannot convert value of type 'ProviderTokens' to expected argument type 'VerifiedIdentity'",
            """
            import Accounts
            import Exchange
            func account(of tokens: ProviderTokens, _ accounts: AccountResolver) async throws -> Account {
                try await accounts.resolve(tokens)
            }
            """,
            control: """
                import Accounts
                import Verification
                func account(of identity: VerifiedIdentity, _ accounts: AccountResolver) async throws -> Account {
                    try await accounts.resolve(identity)
                }
                """),
        Snippet(
            "a Firebase user comes from their ID token alone",
            error: "'FirebaseUser' initializer is inaccessible due to 'internal' protection level",
            """
            import Firebase
            import JOSE
            import Stores
            func forge(_ record: SpentRecord) -> FirebaseUser {
                FirebaseUser(
                    uid: "victim", authenticatedAt: NumericDate(0), issuedAt: NumericDate(0), isAnonymous: false,
                    tenantID: nil, email: nil, signInProvider: "custom", waysIn: WaysIn(), hasIdentity: false,
                    usedSecondFactor: false, record: record)
            }
            """,
            control: """
                import Firebase
                import OAuth
                func user(_ token: Secret, _ verifier: FirebaseIDTokenVerifier) async throws -> FirebaseUser {
                    try await verifier.verify(token, tenants: [nil])
                }
                """),
        Snippet(
            "nobody calls for an account but its user",
            error: "'Caller' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import Firebase
            import Stores
            func forge(_ user: FirebaseUser, _ victim: StoredAccount) -> Caller {
                Caller(user: user, account: victim)
            }
            """,
            control: """
                import Accounts
                import Firebase
                func caller(_ user: FirebaseUser, _ linker: AccountLinker) async throws -> Caller {
                    try await linker.caller(user)
                }
                """),
        Snippet(
            "nothing is linked that was not verified",
            error: "cannot convert value of type 'ProviderTokens' to expected argument type 'VerifiedIdentity'",
            """
            import Accounts
            import Exchange
            func link(_ tokens: ProviderTokens, _ caller: Caller, _ linker: AccountLinker) async throws {
                _ = try await linker.link(tokens, to: caller)
            }
            """,
            control: """
                import Accounts
                import Verification
                func link(_ identity: VerifiedIdentity, _ caller: Caller, _ linker: AccountLinker) async throws {
                    _ = try await linker.link(identity, to: caller)
                }
                """),
        Snippet(
            "a grant is redeemed once", error: "'grant' consumed more than once",
            redeeming("_ = try await exchanger.exchange(grant, with: oauth2, of: provider)", times: 2),
            control: redeeming("_ = try await exchanger.exchange(grant, with: oauth2, of: provider)", times: 1)),
        Snippet(
            "a grant is not copied", error: "'grant' consumed more than once",
            redeeming(
                "let copy = grant", "_ = consume copy",
                "_ = try await exchanger.exchange(grant, with: oauth2, of: provider)", times: 1),
            control: redeeming("_ = grant.redirectURI", times: 1)),
        Snippet(
            "claims whose signature nobody checked are no claims",
            error: "cannot convert value of type 'UnverifiedClaims' to expected argument type 'Claims'",
            """
            import JOSE
            func check(_ jws: CompactJWS, _ expectation: ClaimsExpectation) throws {
                try expectation.check(UnverifiedClaims(of: jws), at: NumericDate(0))
            }
            """,
            control: """
                import JOSE
                func check(_ jws: CompactJWS, _ keys: JWKSet, _ expectation: ClaimsExpectation) throws {
                    try expectation.check(
                        JWSVerifier.verify(jws, keys: keys, algorithms: [.es256]), at: NumericDate(0))
                }
                """),
        Snippet(
            "claims come from the verifier alone",
            error: "'Claims' initializer is inaccessible due to 'internal' protection level",
            """
            import JOSE
            import Jansson
            func forge(_ members: JSON) -> Claims { Claims(verified: members) }
            """,
            control: """
                import JOSE
                func subject(of claims: Claims) -> String? { claims.subject }
                """),
        Snippet(
            "no check of a claim is left out by default",
            error: "missing arguments for parameters 'nonce', 'maximumAge', 'maximumLifetime', 'clockSkew' in call",
            """
            import JOSE
            func expectation() -> ClaimsExpectation {
                ClaimsExpectation(issuers: ["https://a.example"], audiences: ["b"])
            }
            """,
            control: """
                import JOSE
                func expectation() -> ClaimsExpectation {
                    ClaimsExpectation(
                        issuers: ["https://a.example"], audiences: ["b"], nonce: .oneOf(["n"]), maximumAge: nil,
                        maximumLifetime: .seconds(60), clockSkew: .seconds(60))
                }
                """),
        Snippet(
            "no C type leaves its cellar",
            error: "property cannot be declared package because its type uses an internal type",
            """
            import COpenSSL
            @unsafe package struct Leak { package var parameter: OSSL_PARAM? }
            """,
            control: """
                import COpenSSL
                @unsafe package struct Owner { private var parameter: OSSL_PARAM? }
                """),
        Snippet(
            "secrets are compared in constant time or not at all",
            error: "binary operator '==' cannot be applied to two 'Secret' operands",
            """
            import OAuth
            func same(_ one: Secret, _ other: Secret) -> Bool { one == other }
            """,
            control: """
                import OAuth
                func same(_ one: Secret, _ other: Secret) -> Bool { one.matches(other) }
                """),
    ]

    private static let mint = """
        import Accounts
        import Minting
        import OAuth
        func mint(_ account: Account, _ minter: Minter) async throws -> CustomToken {
            try await minter.mint(account, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
        }
        """

    private static func redeeming(_ lines: String..., times: Int) -> String {
        """
        import Exchange
        import OAuth
        import Providers
        func redeem(
            _ grant: consuming AuthorizationGrant, _ exchanger: Exchanger, _ oauth2: OAuth2, _ provider: Provider
        ) async throws {
            \(Array(repeating: lines.joined(separator: "\n    "), count: times).joined(separator: "\n    "))
        }
        """
    }
}
