import Firebase
import JOSE
import Jansson
import Standards
import Support
import Testing
import Transport

/// Credentials whose subject token is in a file, and which impersonate a service account.
private struct CredentialFile {
    static let tokenURL = "https://sts.googleapis.com/v1/token"
    static let email = "minter@project.iam.gserviceaccount.com"
    static let impersonationURL =
        "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/\(email):generateAccessToken"
    static let audience = "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/p"

    var members: [String: JSON] = [
        "type": .string("external_account"), "audience": .string(audience),
        "subject_token_type": .string("urn:ietf:params:oauth:token-type:jwt"), "token_url": .string(tokenURL),
        "credential_source": .object(["file": .string("/run/token")]),
        "service_account_impersonation_url": .string(impersonationURL),
    ]

    var octets: [UInt8] { JSON.object(members).serialized() }

    func changing(_ name: String, to value: JSON?) -> Self {
        var file = self
        file.members[name] = value
        return file
    }

    /// The same credentials as the source of an impersonation.
    var asSource: Self {
        Self(members: [
            "type": .string("impersonated_service_account"), "source_credentials": .object(members),
            "service_account_impersonation_url": .string(Self.impersonationURL),
            "delegates": .array([.string("delegate@project.iam.gserviceaccount.com")]),
        ])
    }

    static let person = Self(members: [
        "type": .string("impersonated_service_account"),
        "service_account_impersonation_url": .string(impersonationURL),
        "source_credentials": .object([
            "type": .string("authorized_user"), "client_id": .string("gcloud"), "client_secret": .string("hunter2"),
            "refresh_token": .string("1//refresh"),
        ]),
    ])
}

@Suite("Credentials without a service account key")
struct GoogleCredentialsTests {
    @Test("The impersonated service account is read from the URL")
    func email() throws {
        #expect(try GoogleCredentials.parse(CredentialFile().octets).email == CredentialFile.email)
        #expect(try GoogleCredentials.parse(CredentialFile().asSource.octets).email == CredentialFile.email)
        let direct = CredentialFile().changing("service_account_impersonation_url", to: nil)
        #expect(try GoogleCredentials.parse(direct.octets).email == nil)
    }

    @Test(
        "A file that is not usable is refused with the name of the member",
        arguments: [
            ("type", nil, .missing("type")),
            ("type", "authorized_user", .unsupported("type")),
            ("type", "service_account", .serviceAccountKey),
            ("audience", nil, .missing("audience")),
            (
                "audience", "//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool",
                .poolWithoutProvider
            ),
            ("subject_token_type", "", .missing("subject_token_type")),
            ("token_url", nil, .missing("token_url")),
            ("workforce_pool_user_project", "1", .unsupported("workforce_pool_user_project")),
            ("universe_domain", "example.goog", .unsupported("universe_domain")),
            ("credential_source", nil, .missing("credential_source")),
            (
                "service_account_impersonation_url", "https://iamcredentials.googleapis.com/v1/projects/-/x",
                .invalid("service_account_impersonation_url")
            ),
            (
                "service_account_impersonation_url",
                "https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/a/b@c:generateAccessToken",
                .invalid("service_account_impersonation_url")
            ),
        ] as [(String, String?, GoogleCredentialsError)])
    func refused(name: String, value: String?, error: GoogleCredentialsError) {
        let file = CredentialFile().changing(name, to: value.map(JSON.string))
        #expect(throws: error) { try GoogleCredentials.parse(file.octets) }
    }

    @Test(
        "Credentials are sent only to Google's hosts, or to this machine",
        arguments: [
            "http://sts.googleapis.com/v1/token", "https://sts.googleapis.com.evil.example/v1/token",
            "https://evil.example/sts.googleapis.com", "https://sts.googleapis.com@evil.example/",
            "https://evilgoogleapis.com/", "https://evil.example#.googleapis.com",
            "https://evil.example\\.googleapis.com",
            "https://evil.example:443?.googleapis.com", "http://169.254.169.254/latest/", "ftp://sts.googleapis.com/",
            "http://127.evil.example/", "http://127.0.0.1@evil.example/",
        ])
    func foreignURL(url: String) {
        let file = CredentialFile()
        #expect(throws: GoogleCredentialsError.invalid("token_url")) {
            try GoogleCredentials.parse(file.changing("token_url", to: .string(url)).octets)
        }
        #expect(throws: GoogleCredentialsError.invalid("service_account_impersonation_url")) {
            try GoogleCredentials.parse(
                file.changing(
                    "service_account_impersonation_url",
                    to: .string(url + "/v1/projects/-/serviceAccounts/a@b.c:generateAccessToken")
                ).octets)
        }
    }

    @Test(
        "A source that is not supported is refused with the name of the member",
        arguments: [
            (#"{"executable": {"command": "/bin/token"}}"#, .unsupported("credential_source")),
            (#"{"certificate": {}}"#, .unsupported("credential_source")),
            (#"{"file": "/t", "format": {"type": "xml"}}"#, .unsupported("credential_source.format.type")),
            (
                #"{"file": "/t", "format": {"type": "json"}}"#,
                .missing("credential_source.format.subject_token_field_name")
            ),
            (#"{"url": "http://10.0.0.1/token"}"#, .invalid("credential_source.url")),
            (#"{"url": "https://t.example/", "headers": {"a": 1}}"#, .invalid("credential_source.headers")),
            (#"{"environment_id": "aws2"}"#, .unsupported("credential_source.environment_id")),
            (
                #"{"environment_id": "aws1"}"#, .missing("credential_source.regional_cred_verification_url")
            ),
            (
                #"{"environment_id": "aws1", "regional_cred_verification_url": "http://sts.amazonaws.com"}"#,
                .invalid("credential_source.regional_cred_verification_url")
            ),
        ] as [(String, GoogleCredentialsError)])
    func refusedSource(source: String, error: GoogleCredentialsError) throws {
        let file = CredentialFile().changing("credential_source", to: try JSON.parse(Array(source.utf8)))
        #expect(throws: error) { try GoogleCredentials.parse(file.octets) }
    }

    @Test(
        "The signed request of AWS goes to its Security Token Service only",
        arguments: [
            "https://sts.amazonaws.com", "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity",
            "https://sts-fips.{region}.amazonaws.com/", "https://sts.{region}.amazonaws.com.cn/?a=b",
        ])
    func securityTokenService(url: String) throws {
        _ = try GoogleCredentials.parse(try Self.awsFile(["regional_cred_verification_url": url]))
    }

    @Test(
        "Another host than AWS's Security Token Service is refused",
        arguments: [
            "http://sts.{region}.amazonaws.com", "https://sts.evil.example/",
            "https://sts.{region}.amazonaws.com.evil.example/",
            "https://sts.{region}.amazonaws.com@evil.example/", "https://sts.evil.example/.amazonaws.com",
            "https://sts.evil.example?.amazonaws.com", "https://sts.evil.example#.amazonaws.com",
            "https://sts.evil.example\\.amazonaws.com", "https://stsevil.amazonaws.com",
            "https://ec2.{region}.amazonaws.com",
            "https://sts.amazonaws.com.cn.", "https://stsamazonaws.com", "https://sts.evilamazonaws.com",
        ])
    func otherSecurityTokenService(url: String) throws {
        let file = try Self.awsFile(["regional_cred_verification_url": url])
        #expect(throws: GoogleCredentialsError.invalid("credential_source.regional_cred_verification_url")) {
            try GoogleCredentials.parse(file)
        }
    }

    @Test(
        "The credentials of AWS come from the metadata server of the machine only",
        arguments: ["region_url", "url", "imdsv2_session_token_url"],
        ["https://evil.example/latest", "http://evil.example/", "http://169.254.169.254@evil.example/"])
    func otherMetadataServer(member: String, url: String) throws {
        let file = try Self.awsFile([
            "regional_cred_verification_url": "https://sts.amazonaws.com", member: url,
        ])
        #expect(throws: GoogleCredentialsError.invalid("credential_source.\(member)")) {
            try GoogleCredentials.parse(file)
        }
    }

    private static func awsFile(_ members: [String: String]) throws -> [UInt8] {
        let source: [String: JSON] = members.mapValues { .string($0) }
            .merging(["environment_id": .string("aws1")]) { $1 }
        return CredentialFile().changing("credential_source", to: .object(source)).octets
    }

    @Test("Delegates that are not texts are refused, and null counts as none")
    func delegates() throws {
        let file = CredentialFile().asSource
        #expect(throws: GoogleCredentialsError.invalid("delegates")) {
            try GoogleCredentials.parse(file.changing("delegates", to: .array([.integer(1)])).octets)
        }
        #expect(throws: GoogleCredentialsError.invalid("delegates")) {
            try GoogleCredentials.parse(file.changing("delegates", to: .string("a@b.c")).octets)
        }
        #expect(throws: Never.self) { try GoogleCredentials.parse(file.changing("delegates", to: .null).octets) }
    }

    @Test("A text that is not a JSON object is refused")
    func notJSON() {
        #expect(throws: GoogleCredentialsError.notJSON) { try GoogleCredentials.parse(Array("[]".utf8)) }
    }
}

@Suite("Access tokens without a service account key")
struct CredentialTokenTests {
    private static let scopes = ["s1", "s2"]
    private static let cloudPlatform = "https://www.googleapis.com/auth/cloud-platform"
    private static let impersonated =
        #"{"accessToken": "ya29.impersonated", "expireTime": "2023-11-14T22:18:20.5Z"}"#

    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
        google.peer.script(.post, CredentialFile.tokenURL, ScriptedGoogle.tokenAnswer("ya29.federated"))
        google.peer.script(.post, CredentialFile.impersonationURL, .json(Self.impersonated))
        google.peer.script(.post, ScriptedGoogle.tokenEndpoint, ScriptedGoogle.tokenAnswer("ya29.person"))
    }

    private func source(
        _ file: CredentialFile, files: [String: String] = ["/run/token": "subject\n"],
        variables: [String: String] = [:]
    ) throws -> AccessTokenSource {
        .credentials(
            try GoogleCredentials.parse(file.octets), scopes: Self.scopes, userEndpoint: ScriptedGoogle.tokenEndpoint,
            inputs: CredentialInputs(file: { files[$0].map { Array($0.utf8) } }, variable: { variables[$0] }),
            transport: google.peer.transport, time: google.clock.source, retries: google.retries())
    }

    private func source(_ json: String) throws -> CredentialFile {
        CredentialFile().changing("service_account_impersonation_url", to: nil)
            .changing("credential_source", to: try JSON.parse(Array(json.utf8)))
    }

    private func form(_ url: String = CredentialFile.tokenURL) throws -> [String: String] {
        let form = try #require(google.peer.requests(to: url).first).form
        return Dictionary(uniqueKeysWithValues: form.pairs.map { ($0.name, $0.value) })
    }

    @Test("A subject token is exchanged by RFC 8693 with the scope cloud-platform, and the result impersonates")
    func impersonation() async throws {
        #expect(try await source(CredentialFile()).token(nil).secretText == "ya29.impersonated")
        #expect(
            try form() == [
                "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "audience": CredentialFile.audience,
                "scope": Self.cloudPlatform, "subject_token": "subject",
                "requested_token_type": "urn:ietf:params:oauth:token-type:access_token",
                "subject_token_type": "urn:ietf:params:oauth:token-type:jwt",
            ])
        let request = try #require(google.peer.requests(to: CredentialFile.impersonationURL).first)
        #expect(request[field: "Authorization"] == "Bearer ya29.federated")
        #expect(
            try JSON.parse(request.body)
                == .object([
                    "scope": .array([.string("s1"), .string("s2")]), "lifetime": .string("3600s"),
                    "delegates": .array([]),
                ]))
    }

    @Test("The token of an impersonation is used until the time that Google names")
    func expiry() async throws {
        let source = try source(CredentialFile())
        _ = try await source.token(nil)
        google.clock.advance(by: .seconds(300 - 11))
        _ = try await source.token(nil)
        let before = google.peer.requests(to: CredentialFile.impersonationURL).count
        google.clock.advance(by: .seconds(11))
        google.peer.script(
            .post, CredentialFile.impersonationURL,
            .json(#"{"accessToken": "ya29.b", "expireTime": "2023-11-14T23:00:00Z"}"#))
        #expect(try await source.token(nil).secretText == "ya29.b")
        #expect(google.peer.requests(to: CredentialFile.impersonationURL).count > before)
    }

    @Test("Without impersonation the token of the exchange has the scopes of the caller")
    func direct() async throws {
        let file = CredentialFile().changing("service_account_impersonation_url", to: nil)
        #expect(try await source(file).token(nil).secretText == "ya29.federated")
        #expect(try form()["scope"] == "s1 s2")
    }

    @Test("A chain of delegates is sent to Google")
    func delegates() async throws {
        _ = try await source(CredentialFile().asSource).token(nil)
        let request = try #require(google.peer.requests(to: CredentialFile.impersonationURL).first)
        #expect(
            try JSON.parse(request.body)["delegates"] == .array([.string("delegate@project.iam.gserviceaccount.com")]))
    }

    @Test("The refresh token of a person is redeemed, and the result impersonates")
    func person() async throws {
        #expect(try await source(CredentialFile.person).token(nil).secretText == "ya29.impersonated")
        #expect(
            try form(ScriptedGoogle.tokenEndpoint) == [
                "grant_type": "refresh_token", "client_id": "gcloud", "client_secret": "hunter2",
                "refresh_token": "1//refresh",
            ])
        let request = try #require(google.peer.requests(to: CredentialFile.impersonationURL).first)
        #expect(request[field: "Authorization"] == "Bearer ya29.person")
    }

    @Test("A token in JSON is read from the named member of a file")
    func jsonFile() async throws {
        let file = try source(
            #"{"file": "/t.json", "format": {"type": "json", "subject_token_field_name": "id_token"}}"#)
        _ = try await source(file, files: ["/t.json": "\u{FEFF}" + #"{"id_token": "inner"}"#]).token(nil)
        #expect(try form()["subject_token"] == "inner")
    }

    @Test("A token is requested from a URL with the header fields of the file, and may come from a metadata server")
    func url() async throws {
        let url = "http://169.254.169.254/metadata/identity/oauth2/token"
        google.peer.script(.get, url, .json(#"{"access_token": "azure"}"#))
        let file = try source(
            """
            {"url": "\(url)?resource=r", "headers": {"Metadata": "True"},
             "format": {"type": "json", "subject_token_field_name": "access_token"}}
            """)
        _ = try await source(file).token(nil)
        #expect(try form()["subject_token"] == "azure")
        let request = try #require(google.peer.requests(to: url).first)
        #expect(request[field: "Metadata"] == "True")
        #expect(request.reachesMetadataServer)
        #expect(google.peer.requests(to: CredentialFile.tokenURL).allSatisfy { !$0.reachesMetadataServer })
    }

    @Test("Each failure has an error of its own, and a token is not requested after it")
    func failures() async throws {
        await #expect(throws: AccessTokenError.subjectToken(.unreadableFile("/run/token"))) {
            try await source(CredentialFile(), files: [:]).token(nil)
        }
        await #expect(throws: AccessTokenError.subjectToken(.malformed("the file /run/token has no token"))) {
            try await source(CredentialFile(), files: ["/run/token": " \n"]).token(nil)
        }
        let url = try source(
            """
            {"url": "https://issuer.example/token?code=secret",
             "format": {"type": "json", "subject_token_field_name": "id_token"}}
            """)
        google.peer.script(.get, "https://issuer.example/token", .json("{}"), .status(404))
        let empty = "the answer of https://issuer.example/token has no token as text in the member id_token of JSON"
        await #expect(throws: AccessTokenError.subjectToken(.malformed(empty))) { try await source(url).token(nil) }
        let refused = SubjectTokenError.refused(status: 404, at: "https://issuer.example/token")
        await #expect(throws: AccessTokenError.subjectToken(refused)) { try await source(url).token(nil) }
        #expect(
            refused.sentence
                == "this machine gets no token of its own: the status of https://issuer.example/token is 404")
        #expect(google.peer.requests(to: CredentialFile.tokenURL).isEmpty)
        google.peer.script(.post, CredentialFile.tokenURL, .status(400))
        await #expect(throws: AccessTokenError.refused(status: 400)) { try await source(CredentialFile()).token(nil) }
        #expect(google.peer.requests(to: CredentialFile.impersonationURL).isEmpty)
    }

    @Test(
        "A response of the impersonation without a usable token is an error",
        arguments: [
            (
                .status(403),
                .impersonationRefused(
                    ServiceAccountRefusal(
                        OutboundResponse(status: 403), account: CredentialFile.email,
                        caller: "the identity of google_credentials"))
            ),
            (.status(503), .busy(status: 503)),
            (.json("{}"), .malformed),
            (.json(#"{"accessToken": "a", "expireTime": "2023-11-14T22:13:20Z"}"#), .malformed),
            (.json(#"{"accessToken": "a", "expireTime": "2023-11-14T23:13:20+00:00"}"#), .malformed),
            (.json(#"{"accessToken": "a b", "expireTime": "2023-11-14T23:13:20Z"}"#), .malformed),
        ] as [(ScriptedAnswer, AccessTokenError)])
    func impersonationFailure(answer: ScriptedAnswer, error: AccessTokenError) async throws {
        google.peer.script(.post, CredentialFile.impersonationURL, answer)
        await #expect(throws: error) { try await source(CredentialFile()).token(nil) }
    }
}

/// The expected signatures are those of `google.auth.aws.RequestSigner` for the same values.
@Suite("Identity of AWS")
struct AWSIdentityTests {
    private static let metadata = "http://169.254.169.254/latest"
    private static let secret = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

    private let google: ScriptedGoogle

    init() throws {
        google = try ScriptedGoogle()
        google.peer.script(.post, CredentialFile.tokenURL, ScriptedGoogle.tokenAnswer("ya29.federated"))
        google.peer.script(.put, Self.metadata + "/api/token", .form("session=="))
        google.peer.script(.get, Self.metadata + "/meta-data/placement/availability-zone", .form("us-east-2b"))
        google.peer.script(.get, Self.metadata + "/meta-data/iam/security-credentials", .form("role"))
        google.peer.script(
            .get, Self.metadata + "/meta-data/iam/security-credentials/role",
            .json(
                #"""
                {"AccessKeyId": "AKIDEXAMPLE", "SecretAccessKey": "\#(Self.secret)", "Token": "session-token/+=="}
                """#))
    }

    /// Returns the signed request that Google receives.
    private func signedRequest(variables: [String: String] = [:]) async throws -> JSON {
        let file = CredentialFile().changing("service_account_impersonation_url", to: nil)
            .changing(
                "audience",
                to: .string("//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/aws")
            )
            .changing(
                "credential_source",
                to: try JSON.parse(
                    Array(
                        """
                        {"environment_id": "aws1", "region_url": "\(Self.metadata)/meta-data/placement/availability-zone",
                         "url": "\(Self.metadata)/meta-data/iam/security-credentials",
                         "imdsv2_session_token_url": "\(Self.metadata)/api/token",
                         "regional_cred_verification_url":
                         "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"}
                        """.utf8)))
        let source = AccessTokenSource.credentials(
            try GoogleCredentials.parse(file.octets), scopes: ["s"], userEndpoint: ScriptedGoogle.tokenEndpoint,
            inputs: CredentialInputs(file: { _ in nil }, variable: { variables[$0] }),
            transport: google.peer.transport, time: google.clock.source, retries: google.retries())
        _ = try await source.token(nil)
        let form = try #require(google.peer.requests(to: CredentialFile.tokenURL).first).form
        let subject = try #require(form["subject_token"])
        let text = try #require(PercentEncoding.decode(subject, plusIsSpace: false))
        return try JSON.parse(Array(text.utf8))
    }

    private func field(_ name: String, of request: JSON) -> String? {
        request["headers"]?.array?.first { $0["key"] == .string(name) }?["value"]?.string
    }

    @Test("The request is signed with the credentials of the machine's role, behind a token of the metadata server")
    func role() async throws {
        let request = try await signedRequest()
        #expect(
            request["url"]?.string == "https://sts.us-east-2.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15")
        #expect(request["method"] == .string("POST"))
        #expect(
            field("authorization", of: request)
                == "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20231114/us-east-2/sts/aws4_request, "
                + "SignedHeaders=host;x-amz-date;x-amz-security-token;x-goog-cloud-target-resource, "
                + "Signature=77682b093bfa6029a509357be95bcc927645a5adb05637b76f0e13e0156ed697")
        #expect(field("x-amz-date", of: request) == "20231114T221320Z")
        #expect(field("x-amz-security-token", of: request) == "session-token/+==")
        let asked = google.peer.requests.filter { $0.url.hasPrefix(Self.metadata) }
        #expect(asked.first?[field: "X-aws-ec2-metadata-token-ttl-seconds"] == "300")
        #expect(asked.dropFirst().allSatisfy { $0[field: "X-aws-ec2-metadata-token"] == "session==" })
        #expect(asked.count == 4)
        #expect(google.peer.requests.allSatisfy { !$0.url.contains("amazonaws") })
    }

    @Test("Variables of the environment replace the metadata server, which is not called then")
    func variables() async throws {
        let request = try await signedRequest(variables: [
            "AWS_REGION": "us-east-2", "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": Self.secret,
        ])
        #expect(
            field("authorization", of: request)?
                .hasSuffix("=a66b15f3ead7b3085e1082d6b63fead2336e339a3f69a2c294497b63c2292225") == true)
        #expect(google.peer.requests.count == 1)
    }

    @Test(
        "A region that is not one label of a host is an error",
        arguments: ["evil.example/", "evil.example#", "us-east-2@evil", "us_east", "US-EAST-2", "eu.west"])
    func region(name: String) async throws {
        let error = AccessTokenError.subjectToken(.malformed("the region of AWS is no name such as us-east-2"))
        await #expect(throws: error) { try await signedRequest(variables: ["AWS_REGION": name]) }
        google.peer.script(.get, Self.metadata + "/meta-data/placement/availability-zone", .form(name + "b"))
        await #expect(throws: error) { try await signedRequest() }
    }

    @Test("A response of the metadata server that names no credentials is an error")
    func malformed() async throws {
        let url = Self.metadata + "/meta-data/iam/security-credentials/role"
        google.peer.script(.get, url, .json("{}"))
        let problem = "the answer of \(url) has no credentials of AWS"
        await #expect(throws: AccessTokenError.subjectToken(.malformed(problem))) { try await signedRequest() }
    }
}
