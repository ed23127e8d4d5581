import Fixtures
import JOSE
import Jansson
import OpenSSL
import Testing

@Suite("mint", .timeLimit(.minutes(5)))
struct MintTests {
    @Test("The output is only the token, with the requested claims and a signature of the service account")
    func token() async throws {
        let installation = try Installation()
        let outcome = try await installation.run(
            "mint", "--uid", "yahoo.com:ABC", "--claims", #"{"role": "tester"}"#, "--lifetime", "60")
        #expect(outcome.status == 0)
        #expect(outcome.errors.isEmpty)
        let jws = try CompactJWS.parse(String(outcome.output.dropLast()))
        let key = try RSAPublicKey(pem: Fixtures.pem("rsa-2048-public"))
        #expect(key.isValid(signature: jws.signature, for: jws.signingInput))
        let claims = try UnverifiedClaims(of: jws).json
        #expect(claims["uid"]?.string == "yahoo.com:ABC")
        #expect(claims["claims"] == .object(["role": .string("tester")]))
        #expect(claims["iss"]?.string == Installation.email)
        #expect((claims["exp"]?.integer ?? 0) - (claims["iat"]?.integer ?? 0) == 60)
        #expect(outcome.hides(Installation.secret, try Fixtures.pem("rsa-2048")))
    }

    @Test(
        "Claims that are not a JSON object, and a lifetime of more than an hour, lead to exit code 64",
        arguments: [
            ["--claims", "{"], ["--claims", "[]"], ["--claims", "7"], ["--claims", ""],
            ["--claims", #"{"a": 1, "a": 2}"#], ["--lifetime", "0"], ["--lifetime", "3601"], ["--lifetime", "-1"],
        ])
    func usage(arguments: [String]) async throws {
        let installation = try Installation()
        let outcome = try await Command.run(
            ["mint", "--uid", "a", "--config", installation.configuration] + arguments,
            environment: Installation.environment)
        #expect(outcome.status == 64)
        #expect(outcome.output.isEmpty)
    }

    @Test(
        "A uid or claims that Firebase refuses lead to exit code 1 with the reason",
        arguments: zip(
            [
                ["--uid", String(repeating: "a", count: 129)], ["--uid", ""],
                ["--uid", "a", "--claims", #"{"firebase": 1}"#], ["--uid", "a", "--claims", #"{"sub": "b"}"#],
                ["--uid", "a", "--claims", #"{"a": "\#(String(repeating: "b", count: 1000))"}"#],
            ],
            [
                "a uid must have 1 to 128 characters", "a uid must have 1 to 128 characters",
                "the claim firebase is reserved",
                "the claim sub is reserved", "at most 1000",
            ]))
    func refused(arguments: [String], message: String) async throws {
        let installation = try Installation()
        let outcome = try await Command.run(
            ["mint", "--config", installation.configuration] + arguments, environment: Installation.environment)
        #expect(outcome.status == 1)
        #expect(outcome.output.isEmpty)
        #expect(outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test("A uid may have 128 characters, the maximum of Firebase")
    func longUID() async throws {
        let installation = try Installation()
        #expect(try await installation.run("mint", "--uid", String(repeating: "a", count: 128)).status == 0)
    }

    @Test("LK-02: the variable of the emulator does not make tokens unsigned")
    func emulatorVariable() async throws {
        let installation = try Installation()
        let outcome = try await installation.run(
            "mint", "--uid", "a", environment: ["FIREBASE_AUTH_EMULATOR_HOST": "127.0.0.1:9099"])
        #expect(try CompactJWS.parse(String(outcome.output.dropLast())).header.algorithm == "RS256")
    }

    @Test("A token for the emulator is unsigned, and standard error reports that")
    func emulator() async throws {
        let installation = try Installation()
        try installation.write(installation.emulatorYAML)
        let outcome = try await installation.run("mint", "--uid", "a")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasSuffix(".\n"))
        #expect(outcome.errors.contains("unsigned"))
    }
}
