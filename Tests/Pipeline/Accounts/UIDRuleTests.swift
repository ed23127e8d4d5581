import Accounts
import Fixtures
import JOSE
import OpenSSL
import Providers
import Standards
import Stores
import Support
import Testing
import Verification

@Suite("UID rule")
struct UIDRuleTests {
    /// The rule of the other test deployments.
    private static let template = UIDRule.template([.placeholder(.provider), .text(":"), .placeholder(.subject)])

    private func uid(
        ofYahooSubject subject: String, rule: UIDRule = template
    ) async throws -> String {
        let deployment = try Deployment { $0.uidRule = rule }
        return try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: subject)).uid.text
    }

    /// `~` and the SHA-256 of the subject.
    private func digest(_ subject: String) -> String {
        "~" + Base64URL.encode(SHA256.hash(Array(subject.utf8)))
    }

    private func isRandom(_ uid: String) -> Bool {
        uid.utf8.count == 28
            && uid.utf8.allSatisfy {
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789".utf8.contains($0)
            }
    }

    @Test(
        "A plain subject is part of the uid unchanged",
        arguments: ["UQIDWJNW", "a.b-c_d~e", "a@b.example", "a+b=c", "0", "A~"])
    func plain(_ subject: String) async throws {
        #expect(try await uid(ofYahooSubject: subject) == "yahoo.com:" + subject)
    }

    @Test(
        "MT-03: Any other subject is part of the uid as its hash of 43 characters",
        arguments: ["a/b", "a:b", "a#b", "a b", "ü", "日本", "a%2Fb", "~a", "~", "a\\b", "a\"b", " a", "a ", "[a]"])
    func hashed(_ subject: String) async throws {
        let uid = try await uid(ofYahooSubject: subject)
        #expect(uid == "yahoo.com:" + digest(subject))
        #expect(uid.utf8.count == 10 + 1 + 43)
    }

    @Test("MT-03: A subject that makes the uid too long is replaced by its hash, and never cut")
    func long() async throws {
        let fitting = String(repeating: "a", count: 118)
        #expect(try await uid(ofYahooSubject: fitting) == "yahoo.com:" + fitting)
        for subject in [fitting + "a", fitting + "b", String(repeating: "a", count: 200)] {
            #expect(try await uid(ofYahooSubject: subject) == "yahoo.com:" + digest(subject))
        }
    }

    @Test("MT-04: Subjects that only look alike are different people")
    func lookAlikes() async throws {
        let subjects = [
            "Ann", "ann", "ANN", "Ann ", " Ann", "\u{C4}nn", "A\u{308}nn", "\u{E4}nn", "\u{410}nn", "Ann\u{200B}",
            "Ann.", "K", "\u{212A}",
        ]
        let deployment = try Deployment()
        var uids: [UID] = []
        for subject in subjects {
            uids.append(try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: subject)).uid)
        }
        #expect(Set(uids).count == subjects.count)
        #expect(uids.allSatisfy { $0.text.hasPrefix("yahoo.com:") })
    }

    @Test("MT-05: No subject makes a uid of another provider")
    func delimiters() async throws {
        let deployment = try Deployment()
        let x = try await deployment.accounts.findOrMake(deployment.xIdentity(id: "123"))
        #expect(x.uid.text == "twitter.com:123")
        for subject in ["twitter.com:123", ":twitter.com:123", "twitter:123", "anonymous:x", "yahoo:", ":", "123"] {
            let account = try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: subject))
            #expect(account.isNew)
            #expect(account.uid != x.uid)
            #expect(account.uid.text.hasPrefix("yahoo.com:"))
            #expect(account.uid.text.utf8.count { $0 == UInt8(ascii: ":") } == 1)
        }
    }

    @Test("MT-05: A subject that is equal to another person's hash makes another uid")
    func chosenHash() async throws {
        let chosen = digest("a/b")
        let first = try await uid(ofYahooSubject: "a/b")
        let second = try await uid(ofYahooSubject: chosen)
        #expect(second == "yahoo.com:" + digest(chosen))
        #expect(first != second)
    }

    @Test("X2-09: The same number at Yahoo and at X makes two uids")
    func sameNumber() async throws {
        let deployment = try Deployment()
        let yahoo = try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: X.userID))
        let x = try await deployment.accounts.findOrMake(deployment.xIdentity())
        #expect(yahoo.uid.text == "yahoo.com:" + X.userID)
        #expect(x.uid.text == "twitter.com:" + X.userID)
    }

    @Test("X2-09, MT-05: If a template makes one uid of two people, the second one gets a random uid")
    func collision() async throws {
        let deployment = try Deployment { $0.uidRule = .template([.text("u"), .placeholder(.subject)]) }
        let yahoo = try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: X.userID))
        let x = try await deployment.accounts.findOrMake(deployment.xIdentity())
        #expect(yahoo.uid.text == "u" + X.userID)
        #expect(isRandom(x.uid.text))
        #expect(try await deployment.accounts.findOrMake(deployment.xIdentity()).uid == x.uid)
        #expect(try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: X.userID)).uid == yahoo.uid)
    }

    @Test("A template whose text is too long for a hash makes random uids")
    func noRoom() async throws {
        let rule = UIDRule.template([.text(String(repeating: "t", count: 127)), .placeholder(.subject)])
        #expect(try await uid(ofYahooSubject: "a", rule: rule) == String(repeating: "t", count: 127) + "a")
        #expect(isRandom(try await uid(ofYahooSubject: "ab", rule: rule)))
    }

    @Test("A random uid has 28 letters and digits, and differs for each person")
    func random() async throws {
        let deployment = try Deployment { $0.uidRule = .random }
        var uids: Set<String> = []
        for number in 0..<200 {
            let account = try await deployment.accounts.findOrMake(deployment.yahooIdentity(subject: "s\(number)"))
            #expect(isRandom(account.uid.text))
            uids.insert(account.uid.text)
        }
        #expect(uids.count == 200)
    }

    @Test("Bytes that would make some characters more likely are discarded")
    func unbiased() async throws {
        let deployment = try Deployment()
        let random = RandomSource { count throws(RandomFailure) in
            (0..<count).map { [248, 255, 61, 62, 247][$0 % 5] }
        }
        let resolver = AccountResolver(
            directory: deployment.store, rule: .random, emails: .shared, time: deployment.clock.source, random: random)
        // 61 is the last character, 62 the first again, and 247 the last again.
        let uid = try await resolver.findOrMake(deployment.yahooIdentity()).uid.text
        #expect(uid == String(repeating: "9A9", count: 10).prefix(28))
    }
}
