import Jansson
import Testing
import Transport

@Suite("Linking", .serialized, .timeLimit(.minutes(5)))
struct LinkTests {
    @Test("A second identity joins the account, and signs in to it from then on")
    func success() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            let answer = try await alice.link(try await street.xCodeBody())
            #expect(answer.status == 200, "\(answer.text)")
            expectSafeHeader(answer)
            #expect(
                answer.json?.object?.keys.sorted() == [
                    "account", "audience_proof", "profile", "provider", "provider_uid",
                ])
            #expect(answer.json?["provider"] == "twitter.com")
            #expect(answer.json?["provider_uid"] == "2244994945")
            #expect(answer.json?["audience_proof"] == "authorization_code")
            #expect(answer.json?["profile"]?["name"] == "Alice Example")
            #expect(answer.json?["account"] == (try await alice.account()))
            #expect(try await alice.providers() == ["twitter.com", "yahoo.com"])
            let later = try await street.exchange(try await street.xCodeBody())
            #expect(later.json?["uid"]?.string == Street.alice)
            #expect(later.json?["is_new_user"] == false)
        }
    }

    @Test("The provider's own tokens come along where the client is given them")
    func providerTokens() async throws {
        try await Street.open(.with { $0.returnsProviderTokens = true }) { street in
            let answer = try await street.atYahoo().link(try await street.xCodeBody())
            #expect(answer.json?["oauth"]?["access_token"]?.string?.isEmpty == false)
        }
    }

    @Test("LK-06, LK-15: an identity of another account stays where it is")
    func taken() async throws {
        try await Street.open { street in
            let bjorn = try await street.atX()
            for person in [try await street.atYahoo(), try await street.anonymous()] {
                let answer = try await person.link(try await street.xCodeBody(user: "bjorn"))
                try expectRefusal(answer, "credential_already_in_use", further: ["pending_credential"])
                #expect(try await person.providers().contains("twitter.com") == false)
            }
            #expect(try await bjorn.providers() == ["twitter.com"])
            let later = try await street.exchange(try await street.xCodeBody(user: "bjorn"))
            #expect(later.json?["uid"]?.string == bjorn.uid)
        }
    }

    @Test("LK-06: a second identity of a provider is refused, and the first one again is no change")
    func sameProvider() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            try expectRefusal(
                try await alice.link(try await street.codeBody(user: "bjorn")), "provider_already_linked")
            let again = try await alice.link(try await street.codeBody())
            #expect(again.status == 200, "\(again.text)")
            #expect(try await alice.providers() == ["yahoo.com"])
        }
    }

    @Test("LK-07: of two accounts that link one identity at once, one has it")
    func race() async throws {
        try await Street.open { street in
            let people = [try await street.atYahoo("alice"), try await street.atYahoo("bjorn")]
            var bodies: [JSON] = []
            for _ in 0..<8 { bodies.append(try await street.xCodeBody(user: "carol")) }
            let reasons = try await withThrowingTaskGroup(of: String.self) { [bodies] group in
                for (number, body) in bodies.enumerated() {
                    group.addTask { try await people[number % 2].link(body).reason ?? "linked" }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            // Whoever has it may link it again.
            #expect(reasons == ["linked": 4, "credential_already_in_use": 4])
            let holders = [try await people[0].providers(), try await people[1].providers()]
            #expect(holders.filter { $0.contains("twitter.com") }.count == 1)
        }
    }

    @Test("LK-07: a credential links once, however often it is posted at once")
    func sameCredential() async throws {
        try await Street.open { street in
            let alice = try await street.atYahoo()
            let body = try await street.xCodeBody()
            let reasons = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<10 { group.addTask { try await alice.link(body).reason ?? "linked" } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(reasons == ["linked": 1, "replayed": 9])
        }
    }
}
