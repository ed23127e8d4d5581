import Standards
import Stores
import Support

/// The person of the tests, as the directory knows them.
enum Person {
    static let yahoo = ExternalIdentity(provider: Yahoo.id, subject: "\(Yahoo.subject)")
    static let x = ExternalIdentity(provider: X.id, subject: "\(X.userID)")
    static let generic = ExternalIdentity(provider: Generic.id, subject: "\(Generic.subject)")

    static let yahooUID = Way.yahooIDToken.uid
    static let xUID = Way.xPair.uid
    static let genericUID = Way.genericCode.uid
}

extension Way {
    /// A way at another provider.
    var other: Way { provider == X.id ? .yahooIDToken : .xPair }

    var identity: ExternalIdentity {
        switch provider {
        case Yahoo.id: Person.yahoo
        case Generic.id: Person.generic
        default: Person.x
        }
    }
}
