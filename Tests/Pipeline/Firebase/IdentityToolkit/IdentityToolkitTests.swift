import Firebase
import Fixtures
import JOSE
import Jansson
import Standards
import Stores
import Testing
import Transport

@Suite("Identity Toolkit")
struct IdentityToolkitTests {
    private let toolkit = Toolkit()

    @Test("A user is read from the response, and an unknown user is missing")
    func lookup() async throws {
        let users = Scene.users(toolkit)
        #expect(try await users.user("ann") == nil)
        toolkit.put(
            "ann",
            [
                "email": .string("ann@example.com"), "emailVerified": .bool(true), "displayName": .string("Ann"),
                "photoUrl": .string("https://img.example/a"), "disabled": .bool(true), "customAuth": .bool(true),
                "passwordHash": .string("hash"), "phoneNumber": .string("+15550100"),
                "validSince": .string("1699999999"), "createdAt": .string("1690000000999"),
                "mfaInfo": .array([.object([:])]),
                "providerUserInfo": .array([
                    .object([
                        "providerId": .string("yahoo.com"), "rawId": .string("ANN"),
                        "displayName": .string("Annie"),
                    ])
                ]),
            ])
        let user = try #require(try await users.user("ann"))
        #expect(user.verifiedEmail == EmailAddress("ann@example.com") && user.name == "Ann")
        #expect(user.isDisabled && user.isCustom && user.hasPassword && user.hasPhone && user.hasSecondFactor)
        #expect(user.validSince == NumericDate(1_699_999_999) && user.createdAt == NumericDate(1_690_000_000))
        #expect(Set(user.signInMethods.map(\.text)) == ["password", "phone", "yahoo.com"])
        #expect(user.providers.map(\.details.name) == ["Annie"])
        #expect(!String(reflecting: user).contains("hash"))
    }

    @Test("An unverified address does not count as the user's")
    func unverifiedEmail() async throws {
        toolkit.put("ann", ["email": .string("ann@example.com")])
        #expect(try await Scene.users(toolkit).user("ann")?.verifiedEmail == nil)
    }

    @Test(
        "A user without a uid, or with a malformed time, is a malformed response",
        arguments: [
            #"{"users":[{"email":"a@example.com"}]}"#, #"{"users":[{"localId":"a","validSince":"soon"}]}"#,
            #"{"users":[{"localId":"a","providerUserInfo":[{"rawId":"1"}]}]}"#, "[]", "<html>",
            // Only a response without `users` means that there is no user.
            #"{"users":{}}"#, #"{"users":null}"#, #"{"users":"a"}"#, #"{"users":[{"localId":"a","mfaInfo":{}}]}"#,
            #"{"users":[{"localId":"a","providerUserInfo":{}}]}"#, #"{"users":[{"localId":"a","disabled":"true"}]}"#,
            #"{"users":[{"localId":"a","emailVerified":1}]}"#, #"{"users":[{"localId":"a","customAuth":"yes"}]}"#,
            // None of these is an anonymous user, whom a sweep may delete.
            #"{"users":[{"localId":"a","email":{"address":"a@example.com"}}]}"#,
            #"{"users":[{"localId":"a","email":null}]}"#, #"{"users":[{"localId":"a","passwordHash":["hash"]}]}"#,
            #"{"users":[{"localId":"a","phoneNumber":15550100}]}"#,
        ])
    func malformed(answer: String) async throws {
        toolkit.fail("accounts:lookup", .answer(200, answer))
        await #expect(throws: IdentityToolkitError.malformedAnswer) { try await Scene.users(toolkit).user("a") }
    }

    @Test("More than a hundred users are looked up in several requests")
    func manyUsers() async throws {
        let uids: [UID] = (0..<250).map { "uid-\($0)" }
        for uid in uids { toolkit.put(uid) }
        #expect(try await Scene.users(toolkit).lookup(uids: uids).count == 250)
        #expect(toolkit.requests.compactMap { $0.json["localId"]?.array?.count } == [100, 100, 50])
    }

    @Test("Project, tenant and access token are sent where Google expects them")
    func request() async throws {
        _ = try await Scene.users(toolkit, tenantID: "tenant-1", tokens: .fixed(Secret("ya29"))).user("ann")
        let request = try #require(toolkit.requests.first)
        #expect(request.url == "https://toolkit.example/v1/projects/project/tenants/tenant-1/accounts:lookup")
        #expect(request.header.contains(HeaderField("Authorization", "Bearer ya29")))
        #expect(request.header.contains(HeaderField("Content-Type", "application/json")))
    }

    @Test("Sessions are revoked by a time in seconds, as a string")
    func revokeSessions() async throws {
        toolkit.put("ann")
        try await Scene.users(toolkit).revokeSessions(of: "ann", at: Scene.now)
        #expect(toolkit.member("validSince", of: "ann") == .string("1700000000"))
    }

    @Test("A second deletion of a user reports that the user did not exist")
    func delete() async throws {
        toolkit.put("ann")
        let users = Scene.users(toolkit)
        #expect(try await users.delete("ann"))
        #expect(try await users.delete("ann") == false)
    }

    @Test("Many users are deleted in requests of a thousand, one request per second")
    func batchDelete() async throws {
        let pauses = Pauses()
        let uids: [UID] = (0..<2001).map { "uid-\($0)" }
        #expect(try await Scene.users(toolkit, pauses).delete(uids).isEmpty)
        #expect(toolkit.requests.compactMap { $0.json["localIds"]?.array?.count } == [1000, 1000, 1])
        #expect(toolkit.requests.allSatisfy { $0.json["force"] == .bool(true) })
        #expect(pauses.all == [.seconds(1), .seconds(1)])
    }

    @Test("The users that Firebase did not delete are returned")
    func batchErrors() async throws {
        toolkit.fail(
            "accounts:batchDelete",
            .answer(200, #"{"errors":[{"index":0,"localId":"ann","message":"NOT_DISABLED : no"}]}"#))
        #expect(try await Scene.users(toolkit).delete(["ann", "bob"]) == ["ann"])
    }

    @Test(
        "A refusal to delete without a uid is a malformed response",
        arguments: [
            #"{"errors":[{"index":1,"message":"NOT_DISABLED"}]}"#, #"{"errors":[{"localId":7}]}"#, #"{"errors":{}}"#,
        ])
    func batchErrorWithoutName(answer: String) async throws {
        toolkit.fail("accounts:batchDelete", .answer(200, answer))
        await #expect(throws: IdentityToolkitError.malformedAnswer) {
            try await Scene.users(toolkit).delete(["ann", "bob"])
        }
    }

    @Test("A sign-in with a custom token sends the API key and no access token")
    func redeem() async throws {
        let session = try await Scene.users(toolkit, tenantID: "tenant-1")
            .redeem(Secret("custom-token"), apiKey: Secret("AIza+key"))
        #expect(session.idToken.secretText == "id-token" && session.refreshToken.secretText == "refresh-token")
        #expect(session.expiresIn == .seconds(3600) && session.isNewUser)
        let request = try #require(toolkit.requests.first)
        #expect(request.url == "https://toolkit.example/v1/accounts:signInWithCustomToken?key=AIza%2Bkey")
        #expect(!request.header.contains { $0.name == "Authorization" })
        #expect(
            request.json
                == .object([
                    "token": .string("custom-token"), "returnSecureToken": .bool(true),
                    "tenantId": .string("tenant-1"),
                ]))
    }

    @Test("A session without one of its parts is a malformed response")
    func redeemMalformed() async throws {
        toolkit.fail("accounts:signInWithCustomToken", .answer(200, #"{"idToken":"i","expiresIn":"3600"}"#))
        await #expect(throws: IdentityToolkitError.malformedAnswer) {
            try await Scene.users(toolkit).redeem(Secret("t"), apiKey: Secret("k"))
        }
    }

    @Test("A sign-in whose response was lost may be repeated")
    func redeemLost() async throws {
        toolkit.down("accounts:signInWithCustomToken", .error(.interrupted(host: "h")))
        await #expect(throws: IdentityToolkitError.unreachable(.interrupted(host: "h"))) {
            try await Scene.users(toolkit).redeem(Secret("t"), apiKey: Secret("k"))
        }
    }

    @Test(
        "A session is valid if its user is, and if it started in the second of the revocation or later",
        arguments: [
            ([:], SessionState.valid),
            (["validSince": .string("1700000000")], .valid),
            (["validSince": .string("1700000001")], .revoked),
            (["disabled": .bool(true), "validSince": .string("1700000001")], .disabled),
            (["mfaInfo": .array([.object([:])])], .secondFactorEnrolled),
        ] as [([String: JSON], SessionState)])
    func check(members: [String: JSON], standing: SessionState) async throws {
        toolkit.put("ann", members)
        let user = try #require(try await Scene.users(toolkit).user("ann"))
        #expect(user.sessionState(authenticatedAt: Scene.now) == standing)
    }
}
