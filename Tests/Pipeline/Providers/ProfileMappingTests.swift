import Fixtures
import Jansson
import Providers
import Standards
import Support
import Testing

@Suite("Profiles")
struct ProfileMappingTests {
    private func json(_ text: String) throws -> JSON { try JSON.parse(Array(text.utf8)) }

    private var xUser: ProfileMapping {
        get throws { try Deployment().xOAuth2.user.mapping }
    }

    private var xCredentials: ProfileMapping {
        get throws { try Deployment().xOAuth1.credentialsCheck.mapping }
    }

    @Test("The standard claims become a profile (OpenID Connect Core §5.1)")
    func openIDConnect() throws {
        let answer = try json(
            """
            {"sub": "s", "name": "Ann Example", "given_name": "Ann", "family_name": "Example", "email": "a@b.example",
            "email_verified": true, "picture": "https://img.example/p", "locale": "en", "preferred_username": "ann"}
            """)
        let mapping = ProfileMapping.openIDConnect
        var profile = Profile()
        profile.name = "Ann Example"
        profile.givenName = "Ann"
        profile.familyName = "Example"
        profile.email = "a@b.example"
        profile.isEmailVerified = true
        profile.picture = "https://img.example/p"
        profile.locale = "en"
        profile.screenName = "ann"
        #expect(mapping.subject(in: answer) == "s")
        #expect(mapping.profile(in: answer, trusting: .claim) == profile)
    }

    @Test("The two responses of X become a profile")
    func x() throws {
        var profile = Profile()
        profile.name = "X Dev"
        profile.screenName = "XDevelopers"
        profile.email = "dev@example.org"
        profile.isEmailVerified = true
        profile.picture = "https://pbs.example/x.png"
        #expect(try xCredentials.subject(in: json(X.person()))?.text == X.userID)
        #expect(try xCredentials.profile(in: json(X.person()), trusting: .always) == profile)
        #expect(try xUser.subject(in: json(X.me()))?.text == X.userID)
        #expect(try xUser.profile(in: json(X.me()), trusting: .always) == profile)
    }

    @Test(
        "O1-04: X's id is the text id_str of one to twenty digits, or there is none",
        arguments: [
            #"{"id_str": "1"}"#: "1", #"{"id_str": "12345678901234567890"}"#: "12345678901234567890",
            #"{"id": 9007199254740993, "id_str": "9007199254740993"}"#: "9007199254740993",
            #"{"id": 2244994945}"#: nil, #"{"id_str": 2244994945}"#: nil, #"{"id_str": ""}"#: nil,
            #"{"id_str": "-1"}"#: nil, #"{"id_str": "+1"}"#: nil, #"{"id_str": "1e3"}"#: nil,
            #"{"id_str": "1.0"}"#: nil, #"{"id_str": " 1"}"#: nil, #"{"id_str": "1\n"}"#: nil,
            #"{"id_str": "\uff11"}"#: nil, #"{"id_str": "123456789012345678901"}"#: nil,
            #"{"id_str": ["1"]}"#: nil, #"{"id_str": null}"#: nil, #"{"errors": [{"code": 32}]}"#: nil,
            #"{"ID_STR": "1"}"#: nil,
        ] as [String: String?])
    func credentialsID(_ answer: String, _ id: String?) throws {
        #expect(try xCredentials.subject(in: json(answer))?.text == id)
    }

    @Test(
        "X2-04: The id of users/me is the text of digits in data, and nothing else",
        arguments: [
            #"{"data": {"id": "2244994945"}, "errors": []}"#: "2244994945",
            #"{"data": {"id": "1"}, "id": "2"}"#: "1",
            #"{"id": "2244994945"}"#: nil, #"{"data": {"id": 2244994945}}"#: nil, #"{"data": {"id": ["1"]}}"#: nil,
            #"{"data": {"id": ""}}"#: nil, #"{"data": {}}"#: nil, #"{"data": null, "errors": [{}]}"#: nil,
            #"{"data": [{"id": "1"}]}"#: nil, #"{"data": "1"}"#: nil, #"{"errors": [{}]}"#: nil, "{}": nil,
        ] as [String: String?])
    func userID(_ answer: String, _ id: String?) throws {
        #expect(try xUser.subject(in: json(answer))?.text == id)
    }

    @Test(
        "A subject of OpenID Connect has 1 to 255 octets",
        arguments: [(0, false), (1, true), (255, true), (256, false)])
    func subjectLength(_ count: Int, _ isSubject: Bool) throws {
        let answer = JSON.object(["sub": .string(String(repeating: "a", count: count))])
        #expect((ProfileMapping.openIDConnect.subject(in: answer) != nil) == isSubject)
    }

    @Test(
        "IDT-29: A subject contains no control character, and not only white space",
        arguments: [
            ("a b", true), ("ü", true), (" ", false), ("\u{A0}\u{2003}", false), ("a\u{1}", false), ("\u{9F}", false),
        ])
    func subjectForm(_ text: String, _ isSubject: Bool) {
        let answer = JSON.object(["sub": .string(text)])
        #expect((ProfileMapping.openIDConnect.subject(in: answer) != nil) == isSubject)
    }

    @Test(
        "IDT-50: An address is verified only if email_verified is the JSON value true",
        arguments: [
            ("true", true), ("false", false), (#""true""#, false), (#""false""#, false), ("1", false),
            ("null", false), (#"["true"]"#, false),
        ])
    func claimedTrust(_ value: String, _ isVerified: Bool) throws {
        let answer = try json(#"{"email": "a@b.example", "email_verified": \#(value)}"#)
        let mapping = ProfileMapping.openIDConnect
        #expect(mapping.profile(in: answer, trusting: .claim).isEmailVerified == isVerified)
        #expect(mapping.profile(in: answer, trusting: .always).isEmailVerified == true)
        #expect(mapping.profile(in: answer, trusting: .never).isEmailVerified == false)
    }

    @Test("Without the claim an address is not verified, unless the provider returns only verified ones")
    func noClaim() throws {
        let answer = try json(#"{"email": "a@b.example"}"#)
        let mapping = ProfileMapping.openIDConnect
        #expect(mapping.profile(in: answer, trusting: .claim).isEmailVerified == false)
        #expect(mapping.profile(in: answer, trusting: .always).isEmailVerified == true)
    }

    @Test("Without an address nothing is said of whether it is verified", arguments: [EmailTrust.claim, .always])
    func noAddress(_ trust: EmailTrust) throws {
        for text in [#"{"email_verified": true}"#, #"{"email": null, "email_verified": true}"#, #"{"email": ""}"#] {
            let profile = ProfileMapping.openIDConnect.profile(in: try json(text), trusting: trust)
            #expect(profile == Profile())
        }
    }

    @Test(
        "A member of more than 2048 octets is left out, and the others stay",
        arguments: [(2048, true), (2049, false)])
    func longMember(_ count: Int, _ stays: Bool) throws {
        let long = String(repeating: "a", count: count)
        let answer = JSON.object(["name": .string(long), "locale": .string("en"), "email": .string(long)])
        let profile = ProfileMapping.openIDConnect.profile(in: answer, trusting: .always)
        #expect((profile.name == long) == stays)
        #expect((profile.email == long) == stays)
        #expect((profile.isEmailVerified == true) == stays)
        #expect(profile.locale == "en")
    }

    @Test("A member of another type is left out")
    func otherType() throws {
        let answer = try json(
            #"{"name": 1, "given_name": ["a"], "picture": {"url": "x"}, "locale": true, "email": ["a@b.example"]}"#)
        #expect(ProfileMapping.openIDConnect.profile(in: answer, trusting: .always) == Profile())
    }

    @Test(
        "A picture is a URL with http or https",
        arguments: [
            ("https://img.example/p", true), ("HTTP://img.example/p", true),
            ("data:image/svg+xml;base64,PHN2Zz4=", false),
            ("javascript:alert(1)", false), ("/avatars/42", false), ("avatar/athlete/large.png", false),
            ("//img.example/p", false),
        ])
    func picture(_ text: String, _ isTaken: Bool) {
        let answer = JSON.object(["picture": .string(text), "name": .string("Ann")])
        var mapping = ProfileMapping.openIDConnect
        let profile = mapping.profile(in: answer, trusting: .claim)
        #expect(profile.picture == (isTaken ? text : nil) && profile.name == "Ann")
        mapping.pictureURL = "https://cdn.example/{picture}"
        #expect(
            mapping.profile(in: answer, trusting: .claim).picture == "https://cdn.example/"
                + PercentEncoding.encode(text))
    }

    @Test("A second source adds the missing members, and changes no other")
    func completed() {
        var first = Profile()
        first.name = "Ann"
        first.email = "ann@example.org"
        first.isEmailVerified = false
        var second = Profile()
        second.name = "Somebody"
        second.givenName = "Ann"
        second.familyName = "Example"
        second.email = "other@example.org"
        second.isEmailVerified = true
        second.picture = "https://img.example/p"
        second.locale = "en"
        second.screenName = "ann"
        var whole = second
        whole.name = "Ann"
        whole.email = "ann@example.org"
        whole.isEmailVerified = false
        #expect(first.completed(by: second) == whole)
        #expect(Profile().completed(by: second) == second)
        #expect(second.completed(by: Profile()) == second)
    }
}
