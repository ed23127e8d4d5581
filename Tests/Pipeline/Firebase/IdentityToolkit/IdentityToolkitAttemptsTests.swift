import Firebase
import Fixtures
import JOSE
import OpenSSL
import Standards
import Stores
import Synchronization
import Testing
import Transport

@Suite("Faults of Identity Toolkit")
struct IdentityToolkitFaultTests {
    private let toolkit = Toolkit()
    private let pauses = Pauses()

    private var users: IdentityToolkit { Scene.users(toolkit, pauses) }

    private static func body(_ message: String, status: String = "") -> String {
        #"{"error":{"code":400,"message":"\#(message)","status":"\#(status)"}}"#
    }

    @Test(
        "The code of an error ends at the first colon, and the words after it are shown if the code alone does not tell the cause",
        arguments: [
            ("USER_NOT_FOUND", IdentityToolkitError.userNotFound), ("USER_DISABLED", .userDisabled),
            ("EMAIL_EXISTS : in words: these", .emailExists), ("DUPLICATE_EMAIL", .emailExists),
            ("DUPLICATE_LOCAL_ID", .duplicateLocalID), ("FEDERATED_USER_ID_ALREADY_LINKED", .federatedIDTaken),
            (
                "INVALID_CUSTOM_TOKEN : AUDIENCE_MISMATCH",
                .invalidCustomToken(says: "INVALID_CUSTOM_TOKEN : AUDIENCE_MISMATCH")
            ),
            ("CREDENTIAL_MISMATCH", .credentialMismatch),
            ("TENANT_ID_MISMATCH", .tenantMismatch), ("INSUFFICIENT_PERMISSION", .permissionDenied(.role)),
            ("CONFIGURATION_NOT_FOUND", .notConfigured(code: "CONFIGURATION_NOT_FOUND")),
            ("TENANT_NOT_FOUND : t-1", .notConfigured(code: "TENANT_NOT_FOUND : t-1")),
            ("SOMETHING_ELSE", .rejected(status: 400, code: "SOMETHING_ELSE")),
            ("SOMETHING_ELSE : in words", .rejected(status: 400, code: "SOMETHING_ELSE : in words")),
            ("SOMETHING_ELSE : ana@example.com", .rejected(status: 400, code: "SOMETHING_ELSE : [left out]")),
            ("ana@example.com", .rejected(status: 400, code: "[left out]")),
            ("No code, only words", .rejected(status: 400, code: "No code, only words")),
        ])
    func codes(message: String, error: IdentityToolkitError) async throws {
        toolkit.fail("accounts:update", .answer(400, Self.body(message)))
        await #expect(throws: error) { try await users.unlink(provider: "yahoo.com", from: "ann") }
        #expect(pauses.all.isEmpty)
    }

    @Test("If the message contains no code, the status is used")
    func status() async throws {
        toolkit.fail(
            "accounts:lookup", .answer(403, Self.body("The API has not been used.", status: "PERMISSION_DENIED")))
        await #expect(throws: IdentityToolkitError.permissionDenied(.role)) { try await users.user("ann") }
    }

    @Test(
        "The restriction of the API key that Google names is told, by its reason or by its sentence",
        arguments: [
            (403, "Requests from referer <empty> are blocked.", "", APIKeyFault.websites),
            (403, "x", "API_KEY_HTTP_REFERRER_BLOCKED", .websites),
            (
                403,
                "The provided API key has an IP address restriction. The originating IP address of the call (192.0.2.1) violates "
                    + "this restriction.", "", .addresses
            ),
            (403, "Requests from this Android client application <empty> are blocked.", "", .androidApplications),
            (403, "Requests from this iOS client application <empty> are blocked.", "", .iosApplications),
            (403, "Requests to this API identitytoolkit method x are blocked.", "API_KEY_SERVICE_BLOCKED", .interfaces),
            (400, "API key not valid. Please pass a valid API key.", "API_KEY_INVALID", .invalid),
            (400, "API key expired. Please renew the API key.", "", .invalid),
        ])
    func apiKey(status: Int, message: String, reason: String, fault: APIKeyFault) async throws {
        let details = reason.isEmpty ? "" : #","details":[{"@type":"x"},{"reason":"\#(reason)"}]"#
        let body = #"{"error":{"code":\#(status),"message":"\#(message)","status":"PERMISSION_DENIED"\#(details)}}"#
        toolkit.fail("accounts:signInWithCustomToken", .answer(status, body))
        await #expect(throws: IdentityToolkitError.apiKey(fault)) {
            try await users.redeem(Secret("t"), apiKey: Secret("k"))
        }
        let refusal = IdentityToolkitError.apiKey(fault).refusal
        #expect(refusal.finding?.hasPrefix("Firebase does not exchange the custom token: ") == true)
        #expect(refusal.finding?.contains("firebase.api_key") == true)
        #expect(IdentityToolkitError.apiKey(fault).advice?.isEmpty == false)
    }

    @Test("A refusal of a call with an API key has Google's words if they are no reason that is known")
    func unnamed() async throws {
        toolkit.fail("accounts:signInWithCustomToken", .answer(403, Self.body("PROJECT_DISABLED")))
        let error = IdentityToolkitError.apiKey(.unnamed, says: "PROJECT_DISABLED")
        await #expect(throws: error) { try await users.redeem(Secret("t"), apiKey: Secret("k")) }
        #expect(error.sentence == "Google refuses the call with firebase.api_key (PROJECT_DISABLED)")
    }

    @Test("A page in place of an answer is no refusal by Google", arguments: [401, 403, 404])
    func page(status: Int) async throws {
        let error = IdentityToolkitError.rejected(status: status)
        for method in ["accounts:lookup", "accounts:signInWithCustomToken"] {
            toolkit.fail(method, .answer(status, "<html><body>Access denied by policy</body></html>"))
        }
        await #expect(throws: error) { try await users.user("ann") }
        await #expect(throws: error) { try await users.redeem(Secret("t"), apiKey: Secret("k")) }
        #expect(error.sentence == "the status is \(status), without an error of Identity Toolkit")
        #expect(error.advice?.hasSuffix(OutboundResponse.adviceOnProxies) == true)
        #expect(error.refusal.finding == "Firebase does not exchange the custom token: \(error.sentence)")
    }

    @Test("A 403 with a reason of its own, which is no missing role, is told in Google's words")
    func otherReason() async throws {
        toolkit.fail(
            "accounts:lookup",
            .answer(
                403,
                #"{"error":{"code":403,"message":"Consumer 'project:p' has been suspended.","status":"PERMISSION_DENIED","#
                    + #""details":[{"reason":"CONSUMER_SUSPENDED"}]}}"#))
        let error = IdentityToolkitError.rejected(status: 403, code: "Consumer 'project:p' has been suspended")
        await #expect(throws: error) { try await users.user("ann") }
        let role = #"{"error":{"code":403,"message":"x","details":[{"reason":"IAM_PERMISSION_DENIED"}]}}"#
        toolkit.fail("accounts:lookup", .answer(403, role))
        await #expect(throws: IdentityToolkitError.permissionDenied(.role)) { try await users.user("ann") }
    }

    @Test(
        "A 403 whose reason is no missing role says so, with what to do",
        arguments: [
            ("SERVICE_DISABLED", CallFault.apiDisabled(), "gcloud services enable identitytoolkit.googleapis.com"),
            ("ACCESS_TOKEN_SCOPE_INSUFFICIENT", .insufficientScope, "access scopes of the machine"),
            ("USER_PROJECT_DENIED", .quotaProject, "roles/serviceusage.serviceUsageConsumer"),
            ("SECURITY_POLICY_VIOLATED", .organizationPolicy, "service perimeter"),
            ("BILLING_DISABLED", .billingDisabled, "billing account"),
        ])
    func forbidden(reason: String, fault: CallFault, advice: String) async throws {
        let body =
            #"{"error":{"code":403,"message":"x","status":"PERMISSION_DENIED","details":[{"reason":"\#(reason)"}]}}"#
        toolkit.fail("accounts:lookup", .answer(403, body))
        let error = IdentityToolkitError.permissionDenied(fault)
        await #expect(throws: error) { try await users.user("ann") }
        #expect(error.advice?.contains(advice) == true)
        #expect(error.sentence != IdentityToolkitError.permissionDenied(.role).sentence)
        guard case .unavailable(.directoryRefused, let cause?) = StoreError(error) else {
            Issue.record("The operator would read that a role is missing.")
            return
        }
        #expect(cause.contains(error.sentence) && cause.contains(advice))
        #expect(StoreError(error).advice == nil)
        #expect(StoreError(IdentityToolkitError.permissionDenied(.role)).advice == StoreFault.roleOfDirectory)
        #expect(StoreError(IdentityToolkitError.malformedAnswer).advice == StoreFault.trialOfDirectory)
    }

    @Test("The enforcement of App Check is no refusal of an access token, which a call with the API key does not have")
    func appCheck() async throws {
        let body =
            #"{"error":{"code":401,"message":"Firebase App Check token is invalid.","status":"UNAUTHENTICATED"}}"#
        for (body, error) in [(body, IdentityToolkitError.appCheckRequired), ("{}", .apiKey(.unnamed))] {
            toolkit.fail("accounts:signInWithCustomToken", .answer(401, body))
            await #expect(throws: error) { try await users.redeem(Secret("t"), apiKey: Secret("k")) }
        }
        #expect(
            IdentityToolkitError.appCheckRequired.refusal.finding
                == "Firebase does not exchange the custom token: App Check is enforced for Authentication, and this server is no application "
                + "that could have its token")
    }

    @Test(
        "A blocking function that refuses is told apart from one that fails",
        arguments: [
            (#"{\"error\":{\"code\":403,\"message\":\"Not in the pilot\"}}"#, "Not in the pilot"),
            (#"{\"error\":{\"code\":500,\"message\":\"INTERNAL\"}}"#, nil), ("deadline exceeded", nil),
        ] as [(String, String?)])
    func blocking(answer: String, message: String?) async throws {
        let text = "BLOCKING_FUNCTION_ERROR_RESPONSE : HTTP Cloud Function returned an error: \(answer)"
        toolkit.fail("accounts:signInWithCustomToken", .answer(400, Self.body(text)))
        await #expect(throws: IdentityToolkitError.blocked(message: message)) {
            try await users.redeem(Secret("t"), apiKey: Secret("k"))
        }
        let refusal = IdentityToolkitError.blocked(message: message).refusal
        #expect(refusal.reason == (message == nil ? .directoryUnavailable : .blockedByHook))
        #expect(refusal.detail == message.map { .message($0) })
        #expect(refusal.finding?.contains("a blocking function of the project") == true)
    }

    @Test("An API key that is not valid is told by the reason of older interfaces, whose message says nothing")
    func oldReason() async throws {
        toolkit.fail(
            "accounts:signInWithCustomToken",
            .answer(
                400,
                #"{"error":{"errors":[{"domain":"usageLimits","reason":"keyInvalid","message":"Bad Request"}],"code":400,"#
                    + #""message":"Bad Request"}}"#))
        await #expect(throws: IdentityToolkitError.apiKey(.invalid)) {
            try await users.redeem(Secret("t"), apiKey: Secret("k"))
        }
    }

    @Test("A refused custom token is told in words, with what to do")
    func redemptionInWords() {
        for (error, advice) in [
            (IdentityToolkitError.credentialMismatch, "firebase.api_key belongs to the project"),
            (.invalidCustomToken(), "key of the service account"), (.invalidCustomToken(), "firebase.api_key"),
            (.tenantMismatch, "firebase.tenant_id"),
            (.notConfigured(code: "TENANT_NOT_FOUND"), "Authentication"),
            (.rejected(status: 400, code: "INVALID_PROJECT_ID"), "firebase.project_id"),
        ] {
            #expect(error.refusal.finding == "Firebase does not exchange the custom token: \(error.sentence)")
            // Neither the same request nor another sign-in helps before the operator has acted.
            #expect(error.refusal.reason == .directoryUnavailable && error.refusal.retry == .never)
            #expect(
                IdentityToolkitError.invalidCustomToken(says: "AUDIENCE_MISMATCH").sentence
                    == "the custom token is not valid (AUDIENCE_MISMATCH)")
            #expect(IdentityToolkitError.userDisabled.refusal.finding == "the user is disabled")
            #expect(
                IdentityToolkitError.busy().refusal.finding
                    == "Identity Toolkit says that a quota of the project is used up, or that calls are too frequent")
            #expect(error.advice?.contains(advice) == true)
        }
    }

    @Test(
        "What Google says about a quota is shown to the operator, at a call for a session and at one for a user",
        arguments: [
            (400, "QUOTA_EXCEEDED"), (400, "TOO_MANY_ATTEMPTS_TRY_LATER"),
            (
                429,
                "Quota exceeded for quota metric 'Provision requests' and limit 'Provision requests per minute' of "
                    + "service 'managedprojects.googleapis.com' for consumer 'project_number:477362493796'"
            ),
        ])
    func quota(status: Int, message: String) async throws {
        let error = IdentityToolkitError.busy(says: message)
        for method in ["accounts:signInWithCustomToken", "accounts:lookup"] {
            toolkit.down(method, .answer(status, Self.body(message, status: "RESOURCE_EXHAUSTED")))
        }
        await #expect(throws: error) { try await users.redeem(Secret("t"), apiKey: Secret("k")) }
        await #expect(throws: error) { try await users.user("ann") }
        let finding =
            "Identity Toolkit says that a quota of the project is used up, or that calls are too frequent (\(message))"
        #expect(error.refusal.finding == finding)
        let advice = try #require(error.advice)
        #expect(StoreError(error) == .unavailable(.directoryBusy, cause: "\(finding). \(advice)"))
    }

    @Test(
        "The API key of the call, and what has the form of one, is left out of what Google says",
        arguments: [
            "Quota exceeded for consumer 'api_key:other'.", "Quota exceeded for consumer that-of-the-call.",
            "Quota exceeded for consumer AIza\(String(repeating: "x", count: 35)).",
            "Quota exceeded for consumer /v1/accounts:signInWithCustomToken?key=other&alt=json",
        ])
    func hiddenKey(message: String) async throws {
        toolkit.down(
            "accounts:signInWithCustomToken", .answer(429, Self.body(message, status: "RESOURCE_EXHAUSTED")))
        await #expect(throws: IdentityToolkitError.busy(says: "Quota exceeded for consumer [left out]")) {
            try await users.redeem(Secret("t"), apiKey: Secret("that-of-the-call"))
        }
    }

    @Test("A refused access token is replaced once")
    func freshToken() async throws {
        let refused = Mutex<[String?]>([])
        let tokens = AccessTokenSource { old async throws(AccessTokenError) in
            refused.withLock { $0.append(old?.secretText) }
            return Secret(old == nil ? "old" : "new")
        }
        toolkit.fail("accounts:lookup", .answer(401, "{}"))
        #expect(try await Scene.users(toolkit, tokens: tokens).user("ann") == nil)
        #expect(refused.withLock { $0 } == [nil, "old"])
        #expect(toolkit.requests.last?.header.contains(HeaderField("Authorization", "Bearer new")) == true)

        toolkit.down("accounts:lookup", .answer(401, "{}"))
        toolkit.forgetCalls()
        await #expect(throws: IdentityToolkitError.unauthenticated()) { try await users.user("ann") }
        #expect(toolkit.calls.count == 2)
    }

    @Test("If the refused access token is the only one, the refusal is told in Google's words")
    func onlyToken() async throws {
        let tokens = AccessTokenSource { old async throws(AccessTokenError) in
            guard old == nil else { throw .noOther }
            return Secret("only")
        }
        let words = "Request is missing required authentication credential"
        toolkit.down("accounts:lookup", .answer(401, Self.body("\(words).", status: "UNAUTHENTICATED")))
        let error = IdentityToolkitError.unauthenticated(says: words)
        await #expect(throws: error) { try await Scene.users(toolkit, tokens: tokens).user("ann") }
        #expect(error.sentence == "Identity Toolkit refuses the access token (\(words))")
    }

    @Test("Without an access token no request is sent")
    func noToken() async throws {
        // HKDF refuses an empty secret, which makes an error of OpenSSL.
        let cause = try #require(throws: OpenSSLError.self) {
            try HKDFSHA256.derive(from: [], salt: [1], info: [2], count: 32)
        }
        let tokens = AccessTokenSource { _ async throws(AccessTokenError) in throw .signing(cause) }
        await #expect(throws: IdentityToolkitError.accessToken(.signing(cause))) {
            try await Scene.users(toolkit, tokens: tokens).user("ann")
        }
        #expect(toolkit.calls.isEmpty)
    }

    @Test(
        "Calls that are safe to repeat are repeated after growing pauses",
        arguments: [
            Toolkit.Fault.error(.unreachable(host: "h")), .error(.timedOut(host: "h", requestSent: true)),
            .error(.interrupted(host: "h")), .error(.proxyFailed(proxy: "p:3128", host: "h", status: 502)),
            .answer(429, "{}"), .answer(503, "{}"),
        ])
    func repeated(fault: Toolkit.Fault) async throws {
        toolkit.put("ann")
        toolkit.fail("accounts:delete", fault, fault, fault)
        #expect(try await users.delete("ann"))
        #expect(pauses.all == [.milliseconds(250), .milliseconds(500), .seconds(1)])
    }

    @Test("A call ends after four attempts")
    func givenUp() async throws {
        toolkit.down("accounts:lookup", .answer(503, "{}"))
        await #expect(throws: IdentityToolkitError.unavailable(status: 503)) { try await users.user("ann") }
        #expect(toolkit.calls.count == 4)
    }

    @Test("Retry-After is obeyed if the budget allows it; otherwise the call ends")
    func retryAfter() async throws {
        toolkit.fail("accounts:lookup", .answer(429, "{}", [HeaderField("Retry-After", "3")]))
        #expect(try await users.user("ann") == nil)
        #expect(pauses.all == [.seconds(3)])
        toolkit.forgetCalls()
        toolkit.fail("accounts:lookup", .answer(429, "{}", [HeaderField("retry-after", "8")]))
        await #expect(throws: IdentityToolkitError.busy()) { try await users.user("ann") }
        #expect(toolkit.calls.count == 1)
    }

    @Test(
        "A user is never created twice: a request that may have been received is not repeated",
        arguments: [
            (Toolkit.Fault.error(.timedOut(host: "h", requestSent: true)), IdentityToolkitError.outcomeUnknown),
            (.error(.interrupted(host: "h")), .outcomeUnknown), (.answer(503, "{}"), .outcomeUnknown),
            (.answer(429, "{}"), .busy()), (.answer(200, "<html>"), .malformedAnswer),
        ])
    func createdOnce(fault: Toolkit.Fault, error: IdentityToolkitError) async throws {
        toolkit.fail("accounts", fault)
        await #expect(throws: error) { try await users.create(uid: "ann") }
        #expect(toolkit.calls == ["accounts"])
    }

    @Test("A request that was not received may be repeated, also the creation of a user")
    func createdAfterUnreachable() async throws {
        toolkit.fail("accounts", .error(.unreachable(host: "h")))
        try await users.create(uid: "ann")
        #expect(toolkit.uids == ["ann"])
    }

    @Test(
        "A call that was refused for now, or not received, may be repeated",
        arguments: [
            (.busy(), true), (.unavailable(status: 503), true), (.unavailable(status: 500), false),
            (.unreachable(.timedOut(host: "h", requestSent: false)), true),
            (.unreachable(.timedOut(host: "h", requestSent: true)), false), (.malformedAnswer, false),
            (.permissionDenied(.role), false), (.outcomeUnknown, false),
        ] as [(IdentityToolkitError, Bool)])
    func refusedForNow(error: IdentityToolkitError, isForNow: Bool) {
        #expect(error.isRefusalForNow == isForNow)
    }

    @Test("A change that may have been received is not reported as undone when later attempts get no response")
    func unknownOutcome() async throws {
        toolkit.put("ann")
        toolkit.fail(
            "accounts:update", .lost, .error(.unreachable(host: "h")), .error(.unreachable(host: "h")),
            .error(.unreachable(host: "h")))
        await #expect(throws: IdentityToolkitError.outcomeUnknown) {
            try await users.revokeSessions(of: "ann", at: Scene.now)
        }
    }

    @Test(
        "A call with a permanent failure is not repeated",
        arguments: [
            TransportError.untrusted(host: "h"), .overloaded(host: "h"), .cancelled(requestSent: false),
            .proxyFailed(proxy: "p:3128", host: "h", status: 407),
        ])
    func notRepeated(error: TransportError) async throws {
        toolkit.down("accounts:lookup", .error(error))
        await #expect(throws: IdentityToolkitError.unreachable(error)) { try await users.user("ann") }
        #expect(toolkit.calls.count == 1)
    }

    @Test("Only a missing or malformed response leaves open whether something was written")
    func certainty() {
        let errors: [IdentityToolkitError] = [
            .accessToken(.noOther), .unreachable(.refusedURL), .unavailable(status: 503), .outcomeUnknown, .busy(),
            .malformedAnswer, .unauthenticated(), .permissionDenied(.role), .notConfigured(code: "C"),
            .rejected(status: 400),
            .userNotFound, .userDisabled, .emailExists, .duplicateLocalID, .federatedIDTaken, .invalidCustomToken(),
            .credentialMismatch, .apiKey(.websites), .tenantMismatch,
        ]
        #expect(errors.filter { !$0.nothingWasWritten } == [.outcomeUnknown, .malformedAnswer])
    }
}
