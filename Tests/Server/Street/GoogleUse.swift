/// What the server of a street asks Google for.
enum GoogleUse: Sendable {
    /// Its keys alone.
    case keys
    /// Whether sessions were ended, and Firebase's own tokens.
    case users
    /// All of that, and who people are: `firebase.directory: firebase`.
    case directory
}
