import Jansson
import Minting
import Testing

@Suite("Developer claims")
struct DeveloperClaimsTests {
    @Test("Names that the admin SDKs reserve, or that Firebase writes itself, are reserved")
    func reservedNames() {
        let reserved = DeveloperClaims.reservedNames
        #expect(
            reserved.isSuperset(of: [
                "acr", "amr", "at_hash", "aud", "auth_time", "azp", "cnf", "c_hash", "exp", "firebase", "iat", "iss",
                "jti", "nbf", "nonce", "sub",
            ]))
        #expect(
            reserved.isSuperset(of: [
                "email", "email_verified", "phone_number", "user_id", "provider_id", "uid", "claims",
            ]))
    }

    @Test("The error contains the alphabetically first reserved name")
    func first() {
        #expect(throws: MintingError.reservedClaim("aud")) {
            try DeveloperClaims(["sub": .null, "aud": .null, "zeal": .null, "able": .null])
        }
    }

    @Test("Names are case-sensitive")
    func letterCase() throws {
        #expect(try DeveloperClaims(["Sub": .bool(true)]).members == ["Sub": .bool(true)])
    }

    @Test("MT-06: 1000 bytes of JSON are accepted, and 1001 are refused")
    func size() throws {
        // {"k":"…"} is eight octets around the text.
        #expect(try DeveloperClaims(["k": .string(String(repeating: "a", count: 992))]).members.count == 1)
        #expect(throws: MintingError.claimsTooLarge(bytes: 1001)) {
            try DeveloperClaims(["k": .string(String(repeating: "a", count: 993))])
        }
        #expect(try DeveloperClaims(["k": .string(String(repeating: "é", count: 496))]).members.count == 1)
        #expect(throws: MintingError.claimsTooLarge(bytes: 1002)) {
            try DeveloperClaims(["k": .string(String(repeating: "é", count: 497))])
        }
    }

    @Test("There may be no claims")
    func none() throws {
        #expect(try DeveloperClaims([:]) == DeveloperClaims.none)
    }
}
