import Fixtures
import Foundation
import JOSE
import Jansson
import OpenSSL
import Testing

@Suite("inspect", .timeLimit(.minutes(5)))
struct InspectTests {
    /// A custom token like those of `mint`, with the changes of a test.
    private static func token(
        _ change: (inout [String: JSON]) -> Void = { _ in }, header: [String: JSON] = ["alg": .string("RS256")]
    ) throws -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims: [String: JSON] = [
            "iss": .string(Installation.email), "sub": .string(Installation.email),
            "aud": .string(
                "https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1.IdentityToolkit"),
            "iat": .integer(now), "exp": .integer(now + 300), "uid": .string("someone"),
        ]
        change(&claims)
        let input = JWSSigningInput(header: .object(header), payload: .object(claims))
        let key = try RSAPrivateKey(pem: Fixtures.pem("rsa-2048"))
        return input.compact(signature: try key.signature(for: Array(input.text.utf8)))
    }

    private static func inspect(_ token: String) async throws -> Command.Outcome {
        let installation = try Installation()
        return try await Command.run("inspect", "--service-account", installation.serviceAccount, input: token)
    }

    @Test("A valid custom token leads to exit code 0, and its signature is not printed")
    func good() async throws {
        let token = try Self.token()
        let outcome = try await Self.inspect(token + "\n")
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.hasPrefix("kind: Firebase custom token\nalgorithm: RS256\n"))
        #expect(outcome.output.contains("uid: someone\n"))
        #expect(outcome.output.hasSuffix("signature: holds\n"))
        #expect(!outcome.output.contains("wrong:"))
        #expect(!outcome.output.contains(token.split(separator: ".")[2].prefix(20)))
        #expect(outcome.errors.isEmpty)
    }

    @Test("Times at the limits of their type are printed")
    func farTimes() async throws {
        let first = try await Self.inspect(Self.token { $0["exp"] = .integer(.min) })
        #expect(first.status == 1, "\(first)")
        #expect(first.output.contains("exp: -9223372036854775808\n"))
        #expect(first.output.contains("wrong: exp is too far in the past\n"))
        let both = try await Self.inspect(
            Self.token {
                $0["iat"] = .integer(.min)
                $0["exp"] = .integer(.max)
            })
        #expect(both.status == 1, "\(both)")
        #expect(both.output.contains("wrong: its lifetime is longer than an hour\n"))
    }

    @Test("inspect finds no problem in a token of mint")
    func minted() async throws {
        let installation = try Installation()
        let token = try await installation.run("mint", "--uid", "a").output
        let outcome = try await Command.run(
            "inspect", "--service-account", installation.serviceAccount, input: token)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("key: key-1\n"))
    }

    @Test("The key may be a public key, a certificate or a key set")
    func keys() async throws {
        let installation = try Installation()
        let token = try Self.token(header: ["alg": .string("RS256"), "kid": .string("k")])
        let key = try RSAPublicKey(pem: Fixtures.pem("rsa-2048-public"))
        let set = JSON.object([
            "keys": .array([
                .object([
                    "kty": .string("RSA"), "kid": .string("k"), "alg": .string("RS256"),
                    "n": .string(Base64URL.encode(key.modulus)), "e": .string(Base64URL.encode(key.exponent)),
                ])
            ])
        ])
        let holds = "signature: holds\n"
        let other =
            "signature: not checked: these keys verify no token with this alg or typ; a JWK set can have keys for others\n"
        let byKeyID = JSON.object(["k": .string(try Fixtures.pem("rsa-2048-certificate"))])
        let otherKeyID = JSON.object(["l": .string(try Fixtures.pem("rsa-2048-certificate"))])
        for (content, verdict) in [
            (try Fixtures.pem("rsa-2048-public"), holds), (try Fixtures.pem("rsa-2048-certificate"), holds),
            (String(decoding: byKeyID.serialized(), as: UTF8.self), holds),
            (
                String(decoding: otherKeyID.serialized(), as: UTF8.self),
                "signature: by a key that is not among those given\n"
            ),
            (String(decoding: set.serialized(), as: UTF8.self), holds),
            (try Fixtures.pem("p256-public"), other),
        ] {
            let path = installation.folder.appending(path: "keys")
            try Data(content.utf8).write(to: path)
            let outcome = try await Command.run("inspect", "--keys", path.path, input: token)
            #expect(outcome.output.hasSuffix(verdict), "\(outcome)")
            #expect(outcome.status == (verdict == holds ? 0 : 1))
        }
        let unchecked = try await Command.run("inspect", input: token)
        #expect(unchecked.status == 1)
        #expect(unchecked.output.contains("signature: not checked"))
    }

    @Test("Every algorithm of a JWK set is verified, and a time may have a fraction")
    func furtherAlgorithms() async throws {
        let token =
            "eyJhbGciOiJFZERTQSIsImtpZCI6IjEifQ."
            + "eyJpc3MiOiJodHRwczovL2EiLCJzdWIiOiIxIiwiYXVkIjoieCIsIm5vbmNlIjoibiIsImlhdCI6MTcwMDAwMDAwMC"
            + "41LCJleHAiOjE3MDAwMDAwNjAuNX0."
            + "J4aTnsCVbEhNPFhMzBroZeNvQaD-6gDs8tJLQ1Q_TCYtTnsNxyU9Mk05ywdwVvV5xD_DdXmiHcPDbTZJke7JAQ"
        let installation = try Installation()
        let path = installation.folder.appending(path: "keys")
        let set =
            #"{"keys":[{"kty":"OKP","crv":"Ed25519","kid":"1","x":"ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ"}]}"#
        try Data(set.utf8).write(to: path)
        let outcome = try await Command.run("inspect", "--keys", path.path, input: token)
        #expect(outcome.output.hasSuffix("signature: holds\n"), "\(outcome)")
        #expect(outcome.output.contains("wrong: it expired ") && !outcome.output.contains("missing"), "\(outcome)")
        let other = try Self.token(header: ["alg": .string("HS256"), "kid": .string("1")])
        let refused = try await Command.run("inspect", "--keys", path.path, input: other)
        #expect(refused.output.contains("signature: not checked: these keys verify no token"), "\(refused)")
    }

    @Test("A token with a changed claim leads to exit code 1")
    func tampered() async throws {
        let parts = try Self.token().split(separator: ".")
        let other = try Self.token { $0["uid"] = .string("someone-else") }.split(separator: ".")
        let outcome = try await Self.inspect("\(parts[0]).\(other[1]).\(parts[2])")
        #expect(outcome.status == 1)
        #expect(outcome.output.hasSuffix("signature: does not hold\n"))
    }

    @Test("Every reason for which Firebase would refuse a custom token is reported", arguments: Flaw.allCases)
    func flawed(_ flaw: Flaw) async throws {
        let outcome = try await Self.inspect(try Self.token(flaw.change))
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("wrong: \(flaw.finding)"), "\(outcome.output)")
        #expect(outcome.output.hasSuffix("signature: holds\n"))
    }

    @Test("A claim with control characters is printed with escapes")
    func terminal() async throws {
        let token = try Self.token { $0["uid"] = .string("a\nsignature: holds\u{1b}[2J\u{202e}") }
        let outcome = try await Self.inspect(token)
        #expect(outcome.output.contains(#"uid: a\u{a}signature: holds\u{1b}[2J\u{202e}"#))
        #expect(outcome.output.utf8.allSatisfy { $0 == 10 || $0 >= 32 })
    }

    @Test(
        "Input that is not a token leads to exit code 1 and one line that does not repeat it",
        arguments: ["", "hush", "a.b.c", "hush.hush.hush.hush", String(repeating: "hush.", count: 20_000)])
    func garbage(input: String) async throws {
        let outcome = try await Command.run("inspect", input: input)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.hasPrefix("token-exchange: the input is not a signed token in compact form: "))
        #expect(!outcome.errors.contains("hush"))
    }

    @Test(
        "The reason is a sentence, with what to leave out",
        arguments: [
            ("Bearer eyJhbGciOiJSUzI1NiJ9.e30.AA", "a part of the token is not base64url. If anything else"),
            ("eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0.b.c.d.e", "the token is encrypted (a JWE with five parts)"),
        ])
    func otherInput(input: String, words: String) async throws {
        let outcome = try await Command.run("inspect", input: input)
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    @Test(
        "A file that is no service account is named with the reason",
        arguments: [
            (nil, "does not exist"), ("-----BEGIN PRIVATE KEY-----\n", "is only the key in PEM"),
            ("{}", "its type is not service_account"),
        ] as [(String?, String)])
    func otherAccount(content: String?, words: String) async throws {
        let installation = try Installation()
        let path = installation.folder.appending(path: "account")
        if let content { try Data(content.utf8).write(to: path) }
        let outcome = try await Command.run("inspect", "--service-account", path.path, input: try Self.token())
        #expect(outcome.status == 1)
        #expect(outcome.errors.hasPrefix("token-exchange: \(path.path)"))
        #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }

    enum Flaw: CaseIterable {
        case expired, future, otherSubject, tooLong, noUID, longUID, reserved

        var finding: String {
            switch self {
            case .expired: "it expired"
            case .future: "it was issued in the future"
            case .otherSubject: "iss and sub must both be"
            case .tooLong: "its lifetime is longer than an hour"
            case .noUID, .longUID: "uid must have 1 to 128 characters"
            case .reserved: "the claim sub is reserved"
            }
        }

        func change(_ claims: inout [String: JSON]) {
            let now = claims["iat"]?.integer ?? 0
            switch self {
            case .expired: claims["exp"] = .integer(now - 10)
            case .future: claims["iat"] = .integer(now + 200)
            case .otherSubject: claims["sub"] = .string("other@project.iam.gserviceaccount.com")
            case .tooLong: claims["exp"] = .integer(now + 3601)
            case .noUID: claims["uid"] = nil
            case .longUID: claims["uid"] = .string(String(repeating: "a", count: 129))
            case .reserved: claims["claims"] = .object(["sub": .string("a")])
            }
        }
    }

    @Test("A custom token with a wrong or missing audience is recognized, and the audience is reported")
    func wrongAudience() async throws {
        for audience in [JSON.string("project"), nil] {
            let outcome = try await Self.inspect(try Self.token { $0["aud"] = audience })
            #expect(outcome.status == 1, "\(outcome)")
            #expect(outcome.output.hasPrefix("kind: Firebase custom token\n"), "\(outcome.output)")
            #expect(
                outcome.output.contains(
                    "wrong: aud must be https://identitytoolkit.googleapis.com/google.identity.identitytoolkit.v1."),
                "\(outcome.output)")
        }
    }

    @Test("An ID token with a claim uid is not a custom token")
    func ownUID() async throws {
        let outcome = try await Self.inspect(
            try Self.token {
                $0["iss"] = .string("https://id.example")
                $0["sub"] = .string("person")
            })
        #expect(outcome.output.hasPrefix("kind: Firebase custom token\n"), "Its audience says so.")
        let other = try await Self.inspect(
            try Self.token {
                $0["iss"] = .string("https://id.example")
                $0["sub"] = .string("person")
                $0["aud"] = .string("client")
            })
        #expect(other.output.hasPrefix("kind: ID token\n"), "\(other.output)")
    }
}
