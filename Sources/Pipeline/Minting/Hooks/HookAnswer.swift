internal import Jansson
internal import Transport

/// The decision of a hook.
///
/// | body of a 200 | decision |
/// | --- | --- |
/// | `{}` | allows the call |
/// | `{"claims": {"role": "editor"}}` | allows it and adds developer claims |
/// | `{"deny": {"message": "…"}}`, also beside `claims` | refuses it, with a text for the person |
/// | any other | a failure of the hook |
enum HookAnswer: Equatable {
    case allowed(HookClaims)
    /// The text is at most ``maximumMessageScalars`` long; `nil` if the hook sent none.
    case denied(message: String?)

    /// The text of a refusal, if there is one.
    var message: String? {
        if case .denied(let message) = self { message } else { nil }
    }

    static let maximumBytes = 16 * 1024
    private static let maximumMessageScalars = 300

    init(_ response: OutboundResponse) throws(HookFailure) {
        guard response.status == 200 else { throw .status(response.status) }
        guard let members = (try? JSON.parse(response.body, maximumBytes: Self.maximumBytes))?.object else {
            throw .malformed(.noObject)
        }
        guard members.keys.allSatisfy(["claims", "deny"].contains) else { throw .malformed(.otherMember) }
        if let deny = members["deny"] {
            guard let text = deny.object else { throw .malformed(.deny) }
            self = .denied(message: text["message"]?.string.flatMap(Self.shown))
        } else if let claims = members["claims"] {
            guard let names = claims.object else { throw .malformed(.claims) }
            self = .allowed(try HookClaims(names))
        } else {
            self = .allowed(.none)
        }
    }

    /// Returns the text on one line and cut to the limit.
    ///
    /// Control characters could change a console or a log that shows it, and become spaces.
    private static func shown(_ message: String) -> String? {
        var scalars = String.UnicodeScalarView()
        for scalar in message.unicodeScalars.prefix(maximumMessageScalars) {
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator: scalars.append(" ")
            default: scalars.append(scalar)
            }
        }
        return scalars.allSatisfy { $0 == " " } ? nil : String(scalars)
    }
}

/// Developer claims that hooks have added to one custom token.
///
/// Only a ``HookAnswer`` makes them.
package struct HookClaims: Sendable, Equatable {
    package static let none = HookClaims(checked: [:])

    let members: [String: JSON]

    /// The claims that only this server may set, in alphabetical order.
    ///
    /// Otherwise a hook could claim another identity, a second factor or a fresh login that was not proven.
    private static let protectedNames = [
        "anonymous", "idp", "idp_uid", "reauth_method", "reauth_time", "second_factor", "second_factor_time",
    ]

    /// - Throws: ``HookFailure/protectedClaim(_:)`` with the alphabetically first protected name;
    ///   ``HookFailure/claims(_:)`` for names and sizes that Firebase does not accept.
    fileprivate init(_ members: [String: JSON]) throws(HookFailure) {
        if let name = Self.protectedNames.first(where: { members[$0] != nil }) { throw .protectedClaim(name) }
        do {
            _ = try DeveloperClaims(members)
        } catch {
            throw .claims(error)
        }
        self.members = members
    }

    private init(checked members: [String: JSON]) {
        self.members = members
    }

    /// Returns both; if they share a name, the value of `later` replaces the earlier one.
    func adding(_ later: Self) -> Self {
        Self(checked: members.merging(later.members) { $1 })
    }
}
