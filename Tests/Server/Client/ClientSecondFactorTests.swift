import Foundation
import Jansson
import Support
import Testing

@testable import TokenExchangeClient

@Suite("Second factors of the user", .serialized, .timeLimit(.minutes(5)))
struct ClientSecondFactorTests {
    @Test("A factor is added, confirmed, listed, asked for and removed")
    func life() async throws {
        try await TestServer.open { server in
            let client = try server.client(as: try await server.atYahoo())
            let enrollment = try await client.addSecondFactor(named: "Phone")
            let uri = enrollment.uri.absoluteString
            #expect(uri.hasPrefix("otpauth://totp/") && uri.contains(enrollment.secret))
            #expect(enrollment.expiresIn == 600)
            let authenticator = Authenticator(enrollment.id, secret: enrollment.secret, time: server.clock.source)
            try await expectError(.secondFactorInvalid, "auth/invalid-verification-code") {
                try await client.confirmSecondFactor(enrollment, totp: authenticator.wrongCode())
            }
            let codes = try await client.confirmSecondFactor(enrollment, totp: authenticator.code())
            #expect(codes.count == 10)
            let factors = try await client.secondFactors()
            #expect(factors.factors.map(\.id) == [enrollment.id] && factors.factors.map(\.name) == ["Phone"])
            #expect(factors.recoveryCodesLeft == 10)
            #expect(factors.factors.first?.createdAt == Date(timeIntervalSince1970: 1_700_000_000))

            server.clock.advance(by: .seconds(30))
            let challenge = try await expectError(.secondFactorRequired, "auth/multi-factor-auth-required") {
                try await client.signIn(with: .yahoo, credential: try await server.yahooCredential())
            }
            #expect(challenge.factors == [.totp, .recoveryCode])
            let pending = try #require(challenge.pendingCredential)
            try await expectError(.secondFactorInvalid, "auth/invalid-verification-code") {
                try await client.signIn(finishing: pending, with: .totp(authenticator.wrongCode()))
            }
            let result = try await client.signIn(finishing: pending, with: .totp(authenticator.code()))
            #expect(try Payload.of(result.tokens.customToken)?["claims"]?["second_factor"] == "totp")

            try await expectError("no_such_factor", "auth/multi-factor-info-not-found") {
                try await client.removeSecondFactor("none", with: .recoveryCode(codes[0]))
            }
            try await client.removeSecondFactor(enrollment.id, with: .recoveryCode(codes[1]))
            #expect(try await client.secondFactors().factors.isEmpty)
        }
    }

    @Test("An anonymous account has no second factor")
    func anonymous() async throws {
        try await TestServer.open { server in
            let guest = try server.client(as: try await server.anonymous())
            try await expectError("not_for_anonymous", "auth/operation-not-allowed") {
                try await guest.addSecondFactor()
            }
        }
    }
}
