internal import Accounts
internal import Jansson

/// A uid in a file.
enum UIDText {
    static func checked(_ json: JSON?) throws(ImportFault) -> String {
        guard let uid = json?.string else { throw .member("the uid") }
        guard UID(uid) != nil else { throw .uidLength }
        return uid
    }
}
