import Jansson
import Synchronization

/// A user of Yahoo's and X's stand-ins.
package struct SandboxUser: Sendable, Equatable {
    /// The name of the user in forms and at the control listener, in ASCII letters.
    package let key: String
    package let name: String
    package let givenName: String?
    package let familyName: String?
    package let email: String?
    package let isEmailVerified: Bool
    package let locale: String?
    package let birthdate: String?
    /// The `sub` and the GUID at Yahoo.
    package let yahooSubject: String
    /// The numeric id at X, which is the same for both of its protocols.
    package let xID: String
    package let screenName: String

    /// The number of the user at the other providers, of nine digits at most.
    var digits: String { String(xID.suffix(9)) }

    package init?(key: String) {
        guard let user = Self.all.first(where: { $0.key == key }) else { return nil }
        self = user
    }

    private init(
        _ key: String, name: String, givenName: String? = nil, familyName: String? = nil, email: String? = nil,
        isEmailVerified: Bool = true, locale: String? = nil, birthdate: String? = nil, yahooSubject: String,
        xID: String, screenName: String
    ) {
        self.key = key
        self.name = name
        self.givenName = givenName
        self.familyName = familyName
        self.email = email
        self.isEmailVerified = isEmailVerified
        self.locale = locale
        self.birthdate = birthdate
        self.yahooSubject = yahooSubject
        self.xID = xID
        self.screenName = screenName
    }

    /// A user with all members.
    package static let alice = Self(
        "alice", name: "Alice Example", givenName: "Alice", familyName: "Example", email: "alice@example.com",
        locale: "en-US", birthdate: "1990", yahooSubject: "ALICEWJNWVNQD4GXZ5NGMZUST4", xID: "2244994945",
        screenName: "alice_example")
    /// A user with a name and an address outside ASCII, and with an id greater than 2^53.
    package static let bjorn = Self(
        "bjorn", name: "Björn Ångström", givenName: "Björn", familyName: "Ångström", email: "björn@example.com",
        locale: "sv-SE", yahooSubject: "BJORNWJNWVNQD4GXZ5NGMZUST4", xID: "1580661436132757506",
        screenName: "bjorn_a")
    /// A user without e-mail address, given name and family name.
    package static let kobayashi = Self(
        "kobayashi", name: "小林", locale: "ja-JP", yahooSubject: "KOBAYJNWVNQD4GXZ5NGMZUST44", xID: "783214",
        screenName: "kobayashi")
    /// A user whose address is not verified, so that X returns none.
    package static let carol = Self(
        "carol", name: "Carol Example", givenName: "Carol", familyName: "Example", email: "carol@example.com",
        isEmailVerified: false, yahooSubject: "CAROLWJNWVNQD4GXZ5NGMZUST4", xID: "6253282",
        screenName: "carol_example")
    /// The user of the conflict on the home page.
    package static let dana = Self(
        "dana", name: "Dana Example", givenName: "Dana", familyName: "Example", email: "dana@example.com",
        yahooSubject: "DANAEWJNWVNQD4GXZ5NGMZUST4", xID: "14872237", screenName: "dana_example")
    /// The user with a second factor on the home page.
    package static let erin = Self(
        "erin", name: "Erin Example", givenName: "Erin", familyName: "Example", email: "erin@example.com",
        yahooSubject: "ERINEWJNWVNQD4GXZ5NGMZUST4", xID: "17874544", screenName: "erin_example")
    /// The user who begins as a guest on the home page; without an address, so that no address leads to another account.
    package static let frida = Self(
        "frida", name: "Frida Example", givenName: "Frida", familyName: "Example",
        yahooSubject: "FRIDAWJNWVNQD4GXZ5NGMZUST4", xID: "18839785", screenName: "frida_example")
    /// The attacker's own account, with a verified address.
    package static let mallory = Self(
        "mallory", name: "Mallory Example", givenName: "Mallory", familyName: "Example", email: "mallory@example.net",
        yahooSubject: "MALLORYJNWVNQD4GXZ5NGMZUS4", xID: "1666", screenName: "mallory")

    package static let all = [alice, bjorn, kobayashi, carol, dana, erin, frida, mallory]
}

/// The user whom the consent pages of all stand-ins select at first: that of the latest scenario of the home page.
final class ExpectedUser: Sendable {
    private let latest = Mutex(SandboxUser.alice)

    var user: SandboxUser { latest.withLock { $0 } }

    func expect(_ user: SandboxUser) { latest.withLock { $0 = user } }
}

extension SandboxUser {
    /// All members that the stand-ins know.
    var json: JSON {
        .object([
            "user": .string(key), "name": .string(name), "given_name": .init(givenName),
            "family_name": .init(familyName), "email": .init(email), "email_verified": .bool(isEmailVerified),
            "locale": .init(locale), "birthdate": .init(birthdate), "yahoo_sub": .string(yahooSubject),
            "x_id": .string(xID), "screen_name": .string(screenName),
        ])
    }
}

extension YahooRegistration {
    var json: JSON {
        .object([
            "client_id": .string(clientID), "client_secret": .string(clientSecret),
            "redirect_uris": .array(redirectURIs.map { .string($0) }),
            "permissions": .array(permissions.map { .string($0) }), "pkce": .string(pkce.rawValue),
        ])
    }
}

extension XRegistration {
    var json: JSON {
        .object([
            "consumer_key": .string(consumerKey), "consumer_secret": .string(consumerSecret),
            "client_id": .string(clientID), "client_secret": .init(clientSecret),
            "redirect_uris": .array(callbacks.map { .string($0) }),
        ])
    }
}

extension JSON {
    /// A string, or null.
    init(_ string: String?) {
        self = string.map { .string($0) } ?? .null
    }
}
