import Firebase
import Fixtures
import Foundation
import Jansson
import OpenSSL
import Support
import Testing

@Suite("Service accounts")
struct ServiceAccountTests {
    private func check(
        _ members: [String: JSON?], is expected: ServiceAccountError, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let file = try Deployment.serviceAccountFile(changing: members)
        #expect(throws: expected, sourceLocation: sourceLocation) { try ServiceAccount.parse(file) }
    }

    @Test("The file of the Google Cloud console is read")
    func baseline() throws {
        let account = try Deployment.serviceAccount()
        #expect(account.projectID == "project")
        #expect(account.clientEmail == Deployment.accountEmail)
        #expect(account.privateKeyID == "account-key-1")
        #expect(try account.publicKey.modulus == TestKeys.shared.account.publicKey.modulus)
    }

    @Test(
        "A file that is not a JSON object is refused", arguments: ["", "[]", "null", "{", #"{"type":"a","type":"b"}"#])
    func notJSON(_ text: String) {
        #expect(throws: ServiceAccountError.notJSON) { try ServiceAccount.parse(Array(text.utf8)) }
    }

    @Test("Another type of credentials is refused")
    func otherType() throws {
        for (type, other) in [
            (JSON.string("authorized_user"), .authorizedUser), (.string("external_account"), .externalAccount),
            (.string("impersonated_service_account"), .impersonatedServiceAccount),
            (.string("Service_Account"), .unknown), (.string(""), .unknown), (.null, .unknown), (nil, .unknown),
        ] as [(JSON?, OtherCredentials)] {
            try check(["type": type], is: .notServiceAccount(other))
        }
        try check(["type": nil, "installed": .object([:])], is: .notServiceAccount(.oauthClient))
        try check(["type": nil, "project_info": .object([:])], is: .notServiceAccount(.applicationConfiguration))
        for type in [JSON.string("service_account"), nil] {
            try check(
                ["type": type, "private_key": nil, "privateKey": .string("k"), "projectId": .string("p")],
                is: .notServiceAccount(.otherSpelling))
        }
    }

    @Test(
        "A key whose line breaks were escaped twice, or are those of Windows, is the same key",
        arguments: [#"\n"#, #"\r\n"#, "\r\n"])
    func lineBreaks(text: String) throws {
        let pem = try TestKeys.shared.account.pem().replacing("\n", with: text)
        let account = try ServiceAccount.parse(Deployment.serviceAccountFile(changing: ["private_key": .string(pem)]))
        #expect(try account.publicKey.modulus == TestKeys.shared.account.publicKey.modulus)
    }

    @Test(
        "KY-01: The error names a member that is missing, empty or not a string",
        arguments: ["project_id", "client_email"])
    func missing(_ name: String) throws {
        for value in [JSON.string(""), .null, .integer(1), nil] {
            try check([name: value], is: .missing(name))
        }
    }

    @Test("KY-01: The error names a missing key")
    func missingKey() throws {
        for value in [JSON.string(""), .null, .integer(1), nil] {
            try check(["private_key": value], is: .missing("private_key"))
        }
    }

    @Test("KY-01: A key that cannot sign custom tokens is refused with the reason")
    func otherKeys() throws {
        try check(["private_key": .string("x")], is: .privateKey(.malformed))
        try check(
            ["private_key": .string(try Fixtures.pem("p256"))],
            is: .privateKey(.wrongType(expected: .rsa, found: .p256))
        )
        try check(["private_key": .string(try Fixtures.pem("rsa-1024"))], is: .privateKey(.unsupportedSize(bits: 1024)))
        try check(["private_key": .string(try Fixtures.pem("rsa-2048-encrypted"))], is: .privateKey(.encrypted))
        try check(
            ["private_key": .string(try Fixtures.pem("rsa-2048-certificate"))],
            is: .privateKey(.certificateInsteadOfKey))
        try check(
            ["private_key": .string(try Fixtures.pem("rsa-2048-public"))],
            is: .privateKey(.publicKeyInsteadOfPrivate))
    }

    @Test("KY-01: No error contains a part of the key")
    func noEcho() throws {
        let broken = try TestKeys.shared.account.pem().replacing("A", with: "B")
        do {
            _ = try ServiceAccount.parse(Deployment.serviceAccountFile(changing: ["private_key": .string(broken)]))
            Issue.record("It was read.")
        } catch {
            let lines = broken.split(separator: "\n").filter { $0.utf8.count > 20 && !$0.hasPrefix("-----") }
            #expect(!lines.contains { "\(error)".contains($0.prefix(20)) })
        }
    }
}
