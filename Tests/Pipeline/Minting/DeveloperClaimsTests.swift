import Jansson
import Minting
import Testing

@Suite("Developer claims")
struct DeveloperClaimsTests {
    @Test("What the admin SDKs reserve is reserved, and what Firebase writes itself")
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

    @Test("The first reserved name in the order of the alphabet is told")
    func first() {
        #expect(throws: DeveloperClaimsError.reserved("aud")) {
            try DeveloperClaims(["sub": .null, "aud": .null, "zeal": .null, "able": .null])
        }
    }

    @Test("Names are told apart by their case")
    func letterCase() throws {
        #expect(try DeveloperClaims(["Sub": .bool(true)]).members == ["Sub": .bool(true)])
    }

    @Test("MT-06: 1000 octets of JSON are taken, and 1001 are not")
    func size() throws {
        // {"k":"…"} is eight octets around the text.
        #expect(try DeveloperClaims(["k": .string(String(repeating: "a", count: 992))]).members.count == 1)
        #expect(throws: DeveloperClaimsError.tooLarge(bytes: 1001)) {
            try DeveloperClaims(["k": .string(String(repeating: "a", count: 993))])
        }
        #expect(try DeveloperClaims(["k": .string(String(repeating: "é", count: 496))]).members.count == 1)
        #expect(throws: DeveloperClaimsError.tooLarge(bytes: 1002)) {
            try DeveloperClaims(["k": .string(String(repeating: "é", count: 497))])
        }
    }

    @Test("There may be none")
    func none() throws {
        #expect(try DeveloperClaims([:]) == DeveloperClaims.none)
    }
}
