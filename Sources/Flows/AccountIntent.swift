internal import Jansson

/// What a flow at a provider is for, where it is not for signing in.
///
/// It is sealed with the flow, so that what one account began can be ended for that account alone.
package struct AccountIntent: Sendable, Equatable {
    package enum Purpose: String, Sendable {
        case link
        case reauthenticate
    }

    package let purpose: Purpose
    /// Whose account it is.
    package let uid: String

    package init(_ purpose: Purpose, of uid: String) {
        self.purpose = purpose
        self.uid = uid
    }

    /// Compared octet by octet: Swift's equality of text would take two accounts for one.
    package static func == (one: Self, other: Self) -> Bool {
        one.purpose == other.purpose && one.uid.utf8.elementsEqual(other.uid.utf8)
    }

    var json: JSON { .object(["purpose": .string(purpose.rawValue), "uid": .string(uid)]) }

    init?(_ content: JSON) {
        guard let purpose = content["purpose"]?.string.flatMap(Purpose.init), let uid = content["uid"]?.string
        else { return nil }
        self.init(purpose, of: uid)
    }
}
