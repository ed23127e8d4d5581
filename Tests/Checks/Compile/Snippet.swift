import Testing

/// Code that must not compile, the compiler's message, and similar code that must compile.
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
            "only Exchange makes provider tokens",
            error: "'ProviderTokens' initializer is inaccessible due to 'internal' protection level",
            """
            import Exchange
            import Standards
            func forge() -> ProviderTokens {
                ProviderTokens(
                    provider: ProviderID("yahoo.com"), idToken: nil, accessToken: nil, refreshToken: nil,
                    expiresIn: nil, scope: nil, tokenCredentials: nil, userID: nil, screenName: nil,
                    deviation: nil)
            }
            """,
            control: """
                import Exchange
                import Standards
                func subject(of tokens: ProviderTokens) -> Subject? { tokens.userID }
                """),
        Snippet(
            "only Verification makes verified identities",
            error: "'VerifiedIdentity' initializer is inaccessible due to 'internal' protection level",
            """
            import Standards
            import Providers
            import Verification
            func forge(_ subject: Subject, _ tokens: ReturnedTokens) -> VerifiedIdentity {
                VerifiedIdentity(
                    provider: ProviderID("yahoo.com"), subject: subject, profile: Profile(),
                    profileState: .whole, profileRefusal: nil,
                    audienceProof: .idTokenAudience, authenticatedAt: nil, tokens: tokens, returnable: [])
            }
            """,
            control: """
                import Standards
                import Verification
                func proof(of identity: VerifiedIdentity) -> AudienceProof { identity.audienceProof }
                """),
        Snippet(
            "only Verification makes events",
            error: "'VerifiedEvent' initializer is inaccessible due to 'internal' protection level",
            """
            import Providers
            import Standards
            import Stores
            import Verification
            func forge(_ identity: ExternalIdentity, _ record: SpentRecord) -> VerifiedEvent {
                VerifiedEvent(provider: ProviderID("op"), kind: .sessionEnded, identity: identity, record: record)
            }
            """,
            control: """
                import Providers
                import Verification
                func kind(of event: VerifiedEvent) -> EventKind { event.kind }
                """),
        Snippet(
            "only Accounts makes accounts",
            error: "'Account' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import Standards
            import Verification
            func forge(_ uid: UID, _ identity: VerifiedIdentity) -> Account {
                Account(uid: uid, isNew: false, evidence: .identity(identity))
            }
            """,
            control: """
                import Accounts
                import Verification
                func account(of identity: VerifiedIdentity, _ accounts: AccountResolver) async throws -> Account {
                    try await accounts.findOrMake(identity)
                }
                """),
        Snippet(
            "only Minting makes custom tokens",
            error: "'CustomToken' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import Minting
            import Standards
            func forge(_ uid: UID) -> CustomToken {
                CustomToken(secret: Secret("a.b.c"), uid: uid, expiresIn: 300)
            }
            """,
            control: mint),
        Snippet(
            "only files with the interface of operators sign for a uid",
            error: "'token' is inaccessible due to 'package' protection level",
            "import Firebase\nimport JOSE\nimport Minting\n" + signing,
            control: "import Firebase\nimport JOSE\n@_spi(OperatorMinting) import Minting\n" + signing),
        Snippet(
            "only Minting signs claims", error: "'sign' is inaccessible due to 'internal' protection level",
            """
            import Minting
            func forge(_ signer: CustomTokenSigner, _ claims: CustomTokenClaims) async throws -> String {
                try await signer.sign(claims)
            }
            """,
            control: """
                import Minting
                func canSign(_ signer: CustomTokenSigner) -> Bool { !signer.isOverloaded }
                """),
        Snippet(
            "only Minting makes the claims of a custom token",
            error: "'CustomTokenClaims' initializer is inaccessible due to 'internal' protection level",
            "import JOSE\nimport Minting\n" + claims,
            control: """
                import Minting
                func audience() -> String { CustomTokenClaims.audience }
                """),
        Snippet(
            "only the signer of custom tokens reads the service account's key outside Firebase",
            error: "'privateKey' is inaccessible due to 'package' protection level",
            "import Firebase\nimport OpenSSL\n" + key,
            control: "@_spi(CustomTokenSigning) import Firebase\nimport OpenSSL\n" + key),
        Snippet(
            "no token is minted for unverified provider tokens",
            error: "cannot convert value of type 'ProviderTokens' to expected argument type 'ClearedAccount'",
            """
            import Exchange
            import Minting
            import Standards
            func mint(_ tokens: ProviderTokens, _ minter: Minter) async throws -> CustomToken {
                try await minter.mint(tokens, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
            }
            """,
            control: mint),
        Snippet(
            "no token is minted for an identity without an account",
            error: "cannot convert value of type 'VerifiedIdentity' to expected argument type 'ClearedAccount'",
            """
            import Minting
            import Standards
            import Verification
            func mint(_ identity: VerifiedIdentity, _ minter: Minter) async throws -> CustomToken {
                try await minter.mint(identity, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
            }
            """,
            control: mint),
        Snippet(
            "no token is minted for an account whose second factor was not checked",
            error: "cannot convert value of type 'Account' to expected argument type 'ClearedAccount'",
            """
            import Accounts
            import Minting
            import Standards
            func mint(_ account: Account, _ minter: Minter) async throws -> CustomToken {
                try await minter.mint(account, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
            }
            """,
            control: mint),
        Snippet(
            "only SecondFactors admits an account",
            error: "'ClearedAccount' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import SecondFactors
            func admit(_ account: Account) -> ClearedAccount { ClearedAccount(account: account, factor: nil) }
            """,
            control: """
                import Accounts
                import SecondFactors
                func account(of admitted: ClearedAccount) -> Account { admitted.account }
                """),
        Snippet(
            "unverified provider tokens resolve to no account",
            error: "cannot convert value of type 'ProviderTokens' to expected argument type 'VerifiedIdentity'",
            """
            import Accounts
            import Exchange
            func account(of tokens: ProviderTokens, _ accounts: AccountResolver) async throws -> Account {
                try await accounts.findOrMake(tokens)
            }
            """,
            control: """
                import Accounts
                import Verification
                func account(of identity: VerifiedIdentity, _ accounts: AccountResolver) async throws -> Account {
                    try await accounts.findOrMake(identity)
                }
                """),
        Snippet(
            "only the verifier of Firebase ID tokens makes a Firebase user",
            error: "'FirebaseUser' initializer is inaccessible due to 'internal' protection level",
            """
            import Firebase
            import JOSE
            import Standards
            import Stores
            func forge(_ victim: UID, _ record: SpentRecord, _ claims: Claims) -> FirebaseUser {
                FirebaseUser(
                    uid: victim, authenticatedAt: NumericDate(0), issuedAt: NumericDate(0), isAnonymous: false,
                    tenantID: nil, email: nil, signInProvider: "custom", signInMethods: SignInMethods(), hasIdentity: false,
                    usedSecondFactor: false, record: record, claims: claims)
            }
            """,
            control: """
                import Firebase
                import Standards
                func user(_ token: Secret, _ verifier: FirebaseIDTokenVerifier) async throws -> FirebaseUser {
                    try await verifier.verify(token, tenants: [nil])
                }
                """),
        Snippet(
            "only Accounts makes a caller",
            error: "'Caller' initializer is inaccessible due to 'internal' protection level",
            """
            import Accounts
            import Firebase
            import Stores
            func forge(_ user: FirebaseUser, _ victim: StoredAccount, _ bearer: FirebaseCaller) -> Caller {
                Caller(user: user, account: victim, bearer: bearer, isStored: true)
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
            "unverified provider tokens are not linked",
            error: "cannot convert value of type 'ProviderTokens' to expected argument type 'VerifiedIdentity'",
            """
            import Accounts
            import Exchange
            import Stores
            func link(
                _ tokens: ProviderTokens, _ caller: Caller, _ linker: AccountLinker, _ expectation: AccountExpectation
            ) async throws {
                _ = try await linker.link(tokens, to: caller, expecting: expectation)
            }
            """,
            control: """
                import Accounts
                import Stores
                import Verification
                func link(
                    _ identity: VerifiedIdentity, _ caller: Caller, _ linker: AccountLinker,
                    _ expectation: AccountExpectation
                ) async throws {
                    _ = try await linker.link(identity, to: caller, expecting: expectation)
                }
                """),
        Snippet(
            "a grant is redeemed only once", error: "'grant' consumed more than once",
            redeeming("_ = try await exchanger.exchange(grant, with: oauth2, of: provider)", times: 2),
            control: redeeming("_ = try await exchanger.exchange(grant, with: oauth2, of: provider)", times: 1)),
        Snippet(
            "a grant is not copied", error: "'grant' consumed more than once",
            redeeming(
                "let copy = grant", "_ = consume copy",
                "_ = try await exchanger.exchange(grant, with: oauth2, of: provider)", times: 1),
            control: redeeming("_ = grant.redirectURI", times: 1)),
        Snippet(
            "unverified claims are not checked as verified ones",
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
            "only the JWS verifier makes verified claims",
            error: "'Claims' initializer is inaccessible due to 'internal' protection level",
            """
            import JOSE
            import Jansson
            func forge(_ members: JSON) -> Claims { Claims(verified: members, algorithm: nil) }
            """,
            control: """
                import JOSE
                func issuer(of claims: Claims) -> String? { claims.issuer }
                """),
        Snippet(
            "no check of a claim can be left out by default",
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
            "no C type leaves the target that wraps it",
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
            "secrets have no equality operator, which would not take constant time",
            error: "binary operator '==' cannot be applied to two 'Secret' operands",
            """
            import Standards
            func same(_ one: Secret, _ other: Secret) -> Bool { one == other }
            """,
            control: """
                import Standards
                func same(_ one: Secret, _ other: Secret) -> Bool { one.matches(other) }
                """),
    ]

    /// The modules that ``signing``, ``claims`` and ``key`` import.
    static let signingModules: Set = ["Firebase", "JOSE", "Minting", "OpenSSL"]

    /// Signs for a uid, without the imports.
    static let signing = """
        func forge(_ signer: CustomTokenSigner) async throws -> String {
            try await signer.token(
                uid: "victim", developerClaims: .none, tenantID: nil, issuedAt: NumericDate(0), lifetime: .seconds(60))
        }
        """

    /// Makes the claims of a custom token for a uid, without the imports.
    static let claims = """
        func forge() -> CustomTokenClaims {
            CustomTokenClaims(
                uid: "victim", developerClaims: .none, tenantID: nil, issuedAt: NumericDate(0), lifetime: .seconds(60))
        }
        """

    /// Signs with the service account's key, without the imports.
    static let key = """
        func forge(_ account: ServiceAccount) throws -> [UInt8] { try account.privateKey.signature(for: [1]) }
        """

    private static let mint = """
        import Minting
        import Standards
        import SecondFactors
        func mint(_ account: ClearedAccount, _ minter: Minter) async throws -> CustomToken {
            try await minter.mint(account, for: ClientID("my-app"), lifetime: .seconds(300), tenantID: nil)
        }
        """

    private static func redeeming(_ lines: String..., times: Int) -> String {
        """
        import Exchange
        import Standards
        import Providers
        func redeem(
            _ grant: consuming AuthorizationGrant, _ exchanger: Exchanger, _ oauth2: OAuth2, _ provider: Provider
        ) async throws {
            \(Array(repeating: lines.joined(separator: "\n    "), count: times).joined(separator: "\n    "))
        }
        """
    }
}
