package import JOSE
package import Standards
package import Stores

/// A rule about verified email addresses, which every account directory keeps.
///
/// The suites of the stores and of Firebase's directory run the same rules.
package struct AddressRule: Sendable, CustomStringConvertible {
    package let description: String
    /// Throws ``Broken`` if the directory, which has no account yet, breaks the rule.
    package let check: @Sendable (AddressScene) async throws -> Void

    private init(_ description: String, _ check: @escaping @Sendable (AddressScene) async throws -> Void) {
        self.description = description
        self.check = check
    }

    package static let all: [AddressRule] = signIns + links + unlinks + merges

    private static let signIns = [
        AddressRule("A new identity with the address of another account makes no account") { scene in
            try await scene.make("one")
            try await scene.expect(.yahoo("two"), isTakenBy: "one")
        },
        AddressRule("An account without an address takes that of a later sign-in") { scene in
            try await scene.make("one", email: nil)
            try await scene.signIn(.yahoo("one"), as: "one")
            try await scene.expect(.x("two"), isTakenBy: "one")
        },
        AddressRule("An address is free again after its account is retired") { scene in
            try await scene.make("one")
            _ = try await scene.directory.retire(uid: "one", at: AddressScene.now)
            try await scene.make("two")
        },
    ]

    private static let links = [
        AddressRule("An account without an address takes that of a linked identity") { scene in
            try await scene.make("one", email: nil)
            try await scene.link(.x("x"), to: "one")
            try await scene.expect(.yahoo("two"), isTakenBy: "one")
        },
        AddressRule("An anonymous account takes the address of a linked identity") { scene in
            try await scene.makeAnonymous("one")
            try await scene.link(.x("x"), to: "one")
            try await scene.expect(.yahoo("two"), isTakenBy: "one")
        },
        AddressRule("A link does not take the address of another account") { scene in
            try await scene.make("one")
            try await scene.make("two", email: nil)
            try await scene.link(.x("x"), to: "two")
            try await scene.expect(.x("three"), isTakenBy: "one")
            _ = try await scene.directory.retire(uid: "one", at: AddressScene.now)
            try await scene.make("three")
        },
        AddressRule("A link does not replace the address of an account, and the address of the identity stays free") {
            scene in
            try await scene.make("one")
            try await scene.link(.x("x", email: "other@example.com"), to: "one")
            try await scene.expect(.yahoo("two"), isTakenBy: "one")
            try await scene.make("two", email: "other@example.com")
        },
    ]

    private static let unlinks = [
        AddressRule("LK-17: an unlinked identity takes its address with it, and can then sign in to a new account") {
            scene in
            try await scene.make("one")
            try await scene.link(.x("x", email: nil), to: "one")
            try await scene.unlink("yahoo.com", from: "one")
            try await scene.signIn(.yahoo("one"), as: "two")
        },
        AddressRule("The address stays if another identity of the account has it") { scene in
            try await scene.make("one")
            try await scene.link(.x("x"), to: "one")
            try await scene.unlink("yahoo.com", from: "one")
            try await scene.expect(.yahoo("one"), isTakenBy: "one")
        },
        AddressRule("The address stays if the account can be entered in another way") { scene in
            try await scene.make("one")
            try await scene.addPhone("one")
            try await scene.link(.x("x", email: nil), to: "one")
            try await scene.unlink("yahoo.com", from: "one")
            try await scene.expect(.yahoo("one"), isTakenBy: "one")
        },
        AddressRule("The address stays if the unlinked identity does not have it") { scene in
            try await scene.make("one")
            try await scene.link(.x("x", email: "other@example.com"), to: "one")
            try await scene.unlink("twitter.com", from: "one")
            try await scene.expect(.yahoo("two"), isTakenBy: "one")
        },
    ]

    private static let merges = [
        AddressRule("If the remaining account has no address, a merge gives it that of the other one") { scene in
            try await scene.make("one", email: nil)
            try await scene.make("two", .x("two"))
            try await scene.merge("two", into: "one")
            try await scene.expect(.yahoo("three"), isTakenBy: "one")
            try await scene.signIn(.x("two"), as: "one", isNew: false)
        },
        AddressRule("An anonymous account takes the address of the account that is merged into it") { scene in
            try await scene.makeAnonymous("one")
            try await scene.make("two", .x("two"))
            try await scene.merge("two", into: "one")
            try await scene.expect(.yahoo("three"), isTakenBy: "one")
        },
        AddressRule("If the remaining account has an address, a merge keeps it, and the other address becomes free") {
            scene in
            try await scene.make("one")
            try await scene.make("two", .x("two", email: "other@example.com"))
            try await scene.merge("two", into: "one")
            try await scene.expect(.yahoo("three"), isTakenBy: "one")
            try await scene.make("three", email: "other@example.com")
        },
        AddressRule("An identity takes its address with it when it is unlinked after a merge") { scene in
            try await scene.make("one", email: nil)
            try await scene.make("two", .x("two"))
            try await scene.merge("two", into: "one")
            try await scene.unlink("twitter.com", from: "one")
            try await scene.signIn(.x("two"), as: "three")
        },
        AddressRule("After a merge, an address that several identities have stays until the last of them leaves") {
            scene in
            try await scene.make("one", email: nil)
            try await scene.make("two", .x("two"))
            try await scene.link(.google("g"), to: "two")
            try await scene.merge("two", into: "one")
            try await scene.unlink("twitter.com", from: "one")
            try await scene.expect(.x("two"), isTakenBy: "one")
            try await scene.unlink("google.com", from: "one")
            try await scene.signIn(.x("two"), as: "three")
        },
        AddressRule("The address of a merged account stays free for no one else, also after a second merge") { scene in
            try await scene.make("one", email: nil)
            try await scene.make("two", .x("two"))
            try await scene.make("three", .google("three"), email: nil)
            try await scene.merge("two", into: "one")
            try await scene.merge("three", into: "one")
            try await scene.expect(.yahoo("four"), isTakenBy: "one")
        },
    ]
}

/// A directory broke a rule.
package struct Broken: Error, CustomStringConvertible {
    package let description: String
}

/// A directory without accounts, and what happens to its users without this server.
package struct AddressScene: Sendable {
    package static let now = NumericDate(1_700_000_000)
    package static let address = "ann@example.com"

    package let directory: any AccountDirectory
    /// Lets the user of an anonymous account sign in at Firebase for the first time.
    let appear: @Sendable (UID) async throws -> Void
    /// Adds a telephone number, with which the user can sign in.
    let addPhone: @Sendable (UID) async throws -> Void

    package init(
        _ directory: any AccountDirectory, appear: @escaping @Sendable (UID) async throws -> Void,
        addPhone: @escaping @Sendable (UID) async throws -> Void
    ) {
        self.directory = directory
        self.appear = appear
        self.addPhone = addPhone
    }

    /// The scene of a store, which learns of other ways to sign in from callers.
    package static func local(_ directory: any AccountDirectory) -> AddressScene {
        AddressScene(directory) { _ in
        } addPhone: { uid in
            _ = try await directory.account(
                of: FirebaseCaller(uid: uid, isAnonymous: false, email: nil, signInMethods: ["phone"]), at: now)
        }
    }

    fileprivate func make(_ uid: UID, _ identity: IncomingIdentity? = nil) async throws {
        try await signIn(identity ?? .yahoo(Subject(uid)), as: uid)
    }

    fileprivate func make(_ uid: UID, _ identity: IncomingIdentity? = nil, email: String?) async throws {
        let identity = (identity ?? .yahoo(Subject(uid))).identity
        try await signIn(IncomingIdentity(identity, email: email), as: uid)
    }

    fileprivate func makeAnonymous(_ uid: UID) async throws {
        _ = try await directory.makeAnonymous(candidates: [uid], deleteAfter: nil, at: Self.now)
        try await appear(uid)
    }

    fileprivate func signIn(_ arrival: IncomingIdentity, as uid: UID, isNew: Bool? = nil) async throws {
        let decision = try await directory.signIn(
            arrival, candidates: [uid], emails: .oneAccountEach, at: Self.now)
        guard case .signedIn(let found, let new, let holders, _) = decision, found == uid, holders.isEmpty,
            isNew.map({ $0 == new }) ?? true
        else { throw Broken(description: "The sign-in as \(uid) ended with \(decision).") }
    }

    fileprivate func expect(_ arrival: IncomingIdentity, isTakenBy uid: UID) async throws {
        let decision = try await directory.signIn(
            arrival, candidates: ["unexpected"], emails: .oneAccountEach, at: Self.now)
        guard case .emailTaken(let accounts) = decision, accounts.map(\.uid) == [uid]
        else {
            throw Broken(description: "The address should be that of \(uid), and the sign-in ended with \(decision).")
        }
    }

    fileprivate func link(_ arrival: IncomingIdentity, to uid: UID) async throws {
        let decision = try await directory.link(arrival, to: uid, at: Self.now)
        guard case .linked = decision else { throw Broken(description: "The link ended with \(decision).") }
    }

    fileprivate func unlink(_ provider: ProviderID, from uid: UID) async throws {
        let decision = try await directory.unlink(provider: provider, from: uid, at: Self.now)
        guard case .unlinked = decision else { throw Broken(description: "The unlinking ended with \(decision).") }
    }

    fileprivate func merge(_ uid: UID, into other: UID) async throws {
        let decision = try await directory.merge(uid, into: other, at: Self.now)
        guard case .merged = decision else { throw Broken(description: "The merge ended with \(decision).") }
    }
}

extension IncomingIdentity {
    fileprivate static func yahoo(_ subject: Subject) -> Self {
        Self(ExternalIdentity(provider: "yahoo.com", subject: subject), email: AddressScene.address)
    }

    fileprivate static func x(_ subject: Subject, email: String? = AddressScene.address) -> Self {
        Self(ExternalIdentity(provider: "twitter.com", subject: subject), email: email)
    }

    fileprivate static func google(_ subject: Subject) -> Self {
        Self(ExternalIdentity(provider: "google.com", subject: subject), email: AddressScene.address)
    }

    fileprivate init(_ identity: ExternalIdentity, email: String?) {
        self.init(
            identity: identity, details: IdentityDetails(email: email, name: "Ann"),
            email: email.flatMap { EmailAddress($0) })
    }
}
