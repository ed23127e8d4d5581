import Fixtures
import Foundation
import Jansson
import Synchronization
import Testing

@testable import TokenExchangeClient

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The list of cases that the library for JavaScript runs too.
///
/// `cases.test.mjs` beside the list says what its members mean.
@Suite("The cases of both client libraries")
struct ClientCaseTests {
    @Test("The list is read")
    func list() { #expect(ClientCase.all.count >= 60) }

    @Test("A call sends the requests of its case, and has its outcome", arguments: ClientCase.all)
    func run(_ listed: ClientCase) async throws {
        let (server, pauses) = (CaseServer(listed), Pauses())
        let client = TokenExchangeClient(
            server: try #require(URL(string: server.url)),
            clientID: listed.json["client"]?["clientId"]?.string ?? "my-app",
            browser: listed.json["browser"].map { browser in
                Browser(redirectURI: "com.example.app:/oauth") { try server.visit($0, as: browser) }
            },
            idToken: listed.idToken.map { token in { @Sendable in token } },
            appCheckToken: listed.appCheckToken,
            http: { try server.respond(to: $0) }, timing: pauses.timing(advancing: ServerClock()))
        do {
            let result = try await listed.result(of: client)
            #expect(listed.json["error"] == nil)
            #expect(result == listed.json["result"])
        } catch let error as TokenExchangeError {
            let expected = try #require(listed.json["error"], "\(error)")
            #expect(JSON(error, showingMessage: expected["message"] != nil) == expected)
        }
        #expect(pauses.all.map(JSON.init(seconds:)) == (listed.json["pauses"]?.array ?? []))
        #expect(server.isDone, "Not every request was sent.")
    }
}

/// One entry of the list.
struct ClientCase: Sendable, CustomTestStringConvertible {
    let json: JSON

    var testDescription: String { json["name"]?.string ?? "" }

    /// All cases; none if the list cannot be read.
    static let all: [ClientCase] = {
        let file = Fixtures.repository.appending(path: "Tests/Interop/clients/library/cases.json")
        guard let data = try? Data(contentsOf: file),
            let list = try? JSON.parse(Array(data), maximumBytes: 1024 * 1024)
        else { return [] }
        return list["cases"]?.array?.map(ClientCase.init(json:)) ?? []
    }()

    /// Makes the call of the case.
    ///
    /// - Returns: The result, with the names of the list; `nil` if there is none.
    /// - Throws: ``TokenExchangeError``, or ``Unknown``.
    func result(of client: TokenExchangeClient) async throws -> JSON? {
        switch json["call"]?.string {
        case "signIn":
            if let code { return JSON(try await client.signIn(finishing: pending, with: code)) }
            if isPending { return JSON(try await client.signIn(with: pending)) }
            if let credential { return JSON(try await client.signIn(with: provider, credential: credential)) }
            return JSON(try await client.signIn(with: provider, scopes: scopes, parameters: parameters))
        case "signInAnonymously": return JSON(try await client.signInAnonymously())
        case "deviceSignIn":
            var states: [JSON] = []
            let name = arguments["provider"]?.string
            for try await state in client.deviceSignIn(with: name.map(Provider.init(_:)), scopes: scopes) {
                states.append(JSON(state))
            }
            return .array(states)
        case "nonce":
            let nonce = try await client.nonce(for: provider)
            return ["nonce": .string(nonce.value), "nonceVerifier": .string(nonce.verifier)]
        case "account": return JSON(try await client.account())
        case "link":
            if isPending { return JSON(try await client.link(pending)) }
            if let credential { return JSON(try await client.link(with: provider, credential: credential)) }
            return JSON(try await client.link(with: provider, scopes: scopes, parameters: parameters))
        case "reauthenticate":
            if let credential { return JSON(try await client.reauthenticate(with: provider, credential: credential)) }
            return JSON(try await client.reauthenticate(with: provider))
        case "unlink": return JSON(try await client.unlink(provider))
        case "merge":
            if let token = arguments["fromIdToken"]?.string { return JSON(try await client.merge(fromIDToken: token)) }
            return JSON(try await client.merge(PendingCredential(handle: text("pendingCredential"))))
        case "refreshProviderTokens":
            return JSON(try await client.refreshProviderTokens(of: provider, refreshToken: text("refreshToken")))
        case "revokeProviderToken":
            try await client.revokeProviderToken(text("token"), of: provider)
            return nil
        case "signOutEverywhere": return .bool(try await client.signOutEverywhere())
        case "deleteAccount": return try await client.deleteAccount().map { JSON.string($0.rawValue) }
        case "secondFactors": return JSON(try await client.secondFactors())
        case "addSecondFactor": return JSON(try await client.addSecondFactor(named: arguments["name"]?.string))
        case "confirmSecondFactor":
            let enrollment = try FactorEnrollment(
                EnrollmentAnswer(
                    factorId: text("factorId"), secret: "", otpauthUri: "otpauth://totp/a", expiresIn: nil))
            return .array(
                try await client.confirmSecondFactor(enrollment, totp: text("totp")).map(JSON.string))
        case "removeSecondFactor":
            try await client.removeSecondFactor(text("factorId"), with: .recoveryCode(text("recoveryCode")))
            return nil
        case let name: throw Unknown(name: name)
        }
    }

    /// The list names a call that this suite does not know.
    struct Unknown: Error {
        let name: String?
    }

    var idToken: String? { json["client"]?["idToken"] == .null ? nil : "id-token" }

    /// Returns the App Check token of the case; fails if that is `null`.
    var appCheckToken: TokenExchangeClient.TokenSource? {
        guard let token = json["client"]?["appCheckToken"] else { return nil }
        return {
            guard let text = token.string else { throw URLError(.userAuthenticationRequired) }
            return text
        }
    }

    private var arguments: JSON { json["arguments"] ?? [:] }
    private var provider: Provider { Provider(text("provider")) }
    private var scopes: [String] { arguments["scopes"]?.array?.compactMap(\.string) ?? [] }
    private var parameters: [String: String] { (arguments["parameters"]?.object ?? [:]).compactMapValues(\.string) }
    private var given: JSON { arguments["credential"] ?? [:] }
    private var isPending: Bool { given["type"] == "pending" }
    private var pending: PendingCredential { PendingCredential(handle: given["pendingCredential"]?.string ?? "") }

    private var code: FactorCode? {
        given["totp"]?.string.map(FactorCode.totp) ?? given["recoveryCode"]?.string.map(FactorCode.recoveryCode)
    }

    private var credential: Credential? {
        func text(_ name: String) -> String { given[name]?.string ?? "" }
        return switch given["type"]?.string {
        case "authorization_code":
            .authorizationCode(
                text("code"), redirectURI: text("redirectUri"), codeVerifier: given["codeVerifier"]?.string,
                nonce: given["nonce"]?.string)
        case "id_token":
            .idToken(text("idToken"), nonce: text("nonce"), accessToken: given["accessToken"]?.string)
        case "access_token": .accessToken(text("accessToken"), nonce: text("nonce"))
        case "oauth1_token":
            .oauth1Token(text("oauthToken"), secret: text("oauthTokenSecret"), nonce: text("nonce"))
        default: nil
        }
    }

    private func text(_ name: String) -> String { arguments[name]?.string ?? "" }
}

/// A server that expects the requests of a case, and the browser of its user.
private final class CaseServer: Sendable {
    private struct State {
        var exchanges: [JSON]
        /// The values that `$state`, `$challenge` and `$verifier` stand for.
        var flow: [String: String] = [:]

        /// Notes the values of a request.
        mutating func learn(_ members: JSON) {
            flow["state"] = flow["state"] ?? members["state"]?.string
            flow["challenge"] = flow["challenge"] ?? members["code_challenge"]?.string
            let verifier = members["code_verifier"] ?? members["credential"]?["code_verifier"]
            guard let challenge = flow["challenge"], let verifier = verifier?.string else { return }
            #expect(ProofKey(verifier: verifier).challenge == challenge)
            #expect(verifier.wholeMatch(of: /[A-Za-z0-9_-]{43}/) != nil)
            flow["verifier"] = verifier
        }

        func filled(_ json: JSON) -> JSON {
            switch json {
            case .string(let text):
                .string(flow.reduce(text) { $0.replacingOccurrences(of: "$" + $1.key, with: $1.value) })
            case .array(let elements): .array(elements.map(filled))
            case .object(let members): .object(members.mapValues(filled))
            default: json
            }
        }
    }

    /// The URL of the client.
    let url: String
    private let state: Mutex<State>

    init(_ listed: ClientCase) {
        url = listed.json["client"]?["server"]?.string ?? "https://auth.example.com"
        let exchanges = listed.json["exchanges"]?.array ?? []
        state = Mutex(
            State(
                exchanges: exchanges.flatMap { exchange in
                    Array(repeating: exchange, count: Int(exchange["times"]?.integer ?? 1))
                }))
    }

    var isDone: Bool { state.withLock { $0.exchanges.isEmpty } }

    /// Opens a URL, and returns the redirect of the case.
    func visit(_ opened: URL, as browser: JSON) throws -> URL {
        let text = opened.absoluteString
        #expect(text.hasPrefix("https://auth.example.com/authorize?"))
        let parameters = Self.form(String(text.split(separator: "?", maxSplits: 1).last ?? ""))
        let expected = filled(browser["opened"] ?? parameters, after: parameters)
        #expect(parameters == expected)
        return try #require(URL(string: filled(browser["redirect"] ?? .null, after: parameters).string ?? ""))
    }

    func respond(to request: URLRequest) throws -> (Data, HTTPURLResponse) {
        let sent = request.url?.absoluteString ?? ""
        let next = state.withLock { $0.exchanges.isEmpty ? nil : $0.exchanges.removeFirst() }
        let exchange = try #require(next, "\(sent) was not expected")
        let (expected, response) = (exchange["request"] ?? .null, exchange["response"] ?? .null)
        let base = url.hasSuffix("/") ? String(url.dropLast()) : url
        #expect(sent == base + (expected["path"]?.string ?? ""))
        #expect(request.httpMethod == expected["method"]?.string)
        #expect(
            request.value(forHTTPHeaderField: "Authorization") == expected["bearer"]?.string.map { "Bearer " + $0 })
        #expect(request.value(forHTTPHeaderField: "X-Firebase-AppCheck") == expected["appCheck"]?.string)
        let body = request.httpBody.map(Array.init)
        let text = body.map { String(decoding: $0, as: UTF8.self) }
        let type = request.value(forHTTPHeaderField: "Content-Type")
        if let json = expected["json"] {
            #expect(type == "application/json")
            let members = try JSON.parse(body ?? [])
            let expected = filled(json, after: members)
            #expect(members == expected)
        } else if let form = expected["form"] {
            #expect(type == "application/x-www-form-urlencoded")
            let members = Self.form(text ?? "")
            let expected = filled(form, after: members)
            #expect(members == expected)
        } else {
            #expect(text == expected["text"]?.string)
        }
        if response == "lost" { throw URLError(.networkConnectionLost) }
        let answer = response["text"]?.string ?? response["body"]?.text ?? ""
        let header = (response["header"]?.object ?? [:]).compactMapValues(\.string)
        let status = Int(response["status"]?.integer ?? 200)
        let address = try #require(request.url)
        let head = HTTPURLResponse(url: address, statusCode: status, httpVersion: nil, headerFields: header)
        return (Data(answer.utf8), try #require(head))
    }

    /// Notes the values of a request, and puts them into what is expected.
    private func filled(_ expected: JSON, after request: JSON) -> JSON {
        state.withLock { state in
            state.learn(request)
            return state.filled(expected)
        }
    }

    /// Decodes a form, in which each name occurs once.
    private static func form(_ text: String) -> JSON {
        let pairs = text.split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.removingPercentEncoding ?? ""
            }
            return (parts[0], JSON.string(parts.last ?? ""))
        }
        return .object(Dictionary(pairs) { _, _ in .null })
    }
}

// MARK: - The results, with the names of the list

extension JSON {
    fileprivate init(_ members: [String: JSON?]) {
        self = .object(members.compactMapValues(\.self))
    }

    fileprivate init(seconds: TimeInterval) {
        self = Int64(exactly: seconds).map(JSON.integer) ?? .real(seconds)
    }

    private static func text(_ value: String?) -> JSON? { value.map(JSON.string) }

    private static func time(_ value: Date?) -> JSON? { value.map { JSON(seconds: $0.timeIntervalSince1970) } }

    private static func members(_ tokens: FirebaseTokens) -> [String: JSON?] {
        switch tokens {
        case .customToken(let token): ["customToken": .string(token)]
        case .session(let session):
            [
                "session": [
                    "idToken": .string(session.idToken), "refreshToken": .string(session.refreshToken),
                    "expiresIn": JSON(seconds: session.expiresIn),
                ]
            ]
        }
    }

    fileprivate init(_ result: SignInResult) {
        var members = Self.members(result.tokens)
        members["uid"] = JSON.string(result.uid)
        members["isNewUser"] = JSON.bool(result.isNewUser)
        members["linked"] = JSON.bool(result.isLinked)
        members["provider"] = JSON.string(result.provider.rawValue)
        members["providerUid"] = Self.text(result.providerUID)
        members["audienceProof"] = Self.text(result.audienceProof)
        members["profile"] = JSON(result.profile)
        members["oauth"] = result.providerTokens.map { JSON($0) }
        members["providerProfile"] = result.providerProfile.flatMap { try? JSON.parse(Array($0)) }
        members["account"] = result.account.map { JSON($0) }
        self.init(members)
    }

    private init(_ profile: Profile) {
        let members: [String: JSON?] = [
            "name": Self.text(profile.name), "givenName": Self.text(profile.givenName),
            "familyName": Self.text(profile.familyName), "email": Self.text(profile.email),
            "emailVerified": .bool(profile.isEmailVerified), "picture": Self.text(profile.picture?.absoluteString),
            "locale": Self.text(profile.locale), "screenName": Self.text(profile.screenName),
        ]
        self.init(members)
    }

    fileprivate init(_ tokens: ProviderTokens) {
        let members: [String: JSON?] = [
            "accessToken": Self.text(tokens.accessToken), "oauthTokenSecret": Self.text(tokens.tokenSecret),
            "idToken": Self.text(tokens.idToken), "refreshToken": Self.text(tokens.refreshToken),
            "scope": Self.text(tokens.scope), "expiresIn": tokens.expiresIn.map(JSON.init(seconds:)),
        ]
        self.init(members)
    }

    fileprivate init(_ account: Account) {
        let identities = account.identities.map { identity in
            let members: [String: JSON?] = [
                "provider": .string(identity.provider.rawValue), "providerUid": Self.text(identity.providerUID),
                "email": Self.text(identity.email), "name": Self.text(identity.name),
                "picture": Self.text(identity.picture?.absoluteString),
                "managedBy": .string(identity.isManagedByFirebase ? "firebase" : "us"),
                "linkedAt": Self.time(identity.linkedAt), "lastUsedAt": Self.time(identity.lastUsedAt),
            ]
            return JSON(members)
        }
        let members: [String: JSON?] = [
            "uid": .string(account.uid), "anonymous": .bool(account.isAnonymous),
            "createdAt": Self.time(account.createdAt), "identities": .array(identities),
        ]
        self.init(members)
    }

    fileprivate init(_ result: MergeResult) {
        var members = Self.members(result.tokens)
        members["account"] = JSON(result.account)
        members["mergedUid"] = Self.text(result.mergedUID)
        members["firebaseUser"] = Self.text(result.removedUser?.rawValue)
        self.init(members)
    }

    fileprivate init(_ factors: SecondFactors) {
        let listed = factors.factors.map { factor in
            let members: [String: JSON?] = [
                "factorId": .string(factor.id), "name": Self.text(factor.name),
                "createdAt": Self.time(factor.createdAt),
                "lastUsedAt": Self.time(factor.lastUsedAt),
            ]
            return JSON(members)
        }
        self = ["factors": .array(listed), "recoveryCodesLeft": .integer(Int64(factors.recoveryCodesLeft))]
    }

    fileprivate init(_ enrollment: FactorEnrollment) {
        self = [
            "factorId": .string(enrollment.id), "secret": .string(enrollment.secret),
            "otpauthUri": .string(enrollment.uri.absoluteString), "expiresIn": JSON(seconds: enrollment.expiresIn),
        ]
    }

    fileprivate init(_ state: DeviceSignIn.State) {
        switch state {
        case .code(let code):
            self = [
                "state": "code",
                "code": [
                    "userCode": .string(code.userCode),
                    "verificationUri": .string(code.verificationURL.absoluteString),
                    "verificationUriComplete": .string(code.completeURL.absoluteString),
                    "expiresIn": JSON(seconds: code.expiresIn),
                ],
            ]
        case .waiting: self = ["state": "waiting"]
        case .signedIn(let result): self = ["state": "signedIn", "result": JSON(result)]
        }
    }

    fileprivate init(_ error: TokenExchangeError, showingMessage: Bool) {
        let members: [String: JSON?] = [
            "reason": .string(error.reason.rawValue), "code": .string(error.code),
            "message": showingMessage ? .string(error.message) : nil, "retry": Self.text(error.retry?.rawValue),
            "retryAfter": error.retryAfter.map(JSON.init(seconds:)),
            "pendingCredential": Self.text(error.pendingCredential?.handle),
            "existingUid": Self.text(error.existingUID),
            "email": Self.text(error.email), "providers": .array(error.providers.map { .string($0.rawValue) }),
            "factors": .array(error.factors.map { .string($0.rawValue) }), "parameter": Self.text(error.parameter),
            "userMessage": Self.text(error.userMessage),
            "status": error.status.map { .integer(Int64($0)) }, "requestId": Self.text(error.requestID),
        ]
        self.init(members)
    }
}
