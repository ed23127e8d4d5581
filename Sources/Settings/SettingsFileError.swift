/// Why a file could not be read.
package enum SettingsFileError: Error, Equatable, Sendable {
    case missing
    /// A directory, or the process may not read it.
    case unreadable
    case tooLarge(maximumBytes: Int)

    package var message: String {
        switch self {
        case .missing: "does not exist"
        case .unreadable: "cannot be read: is it a file, and may this user read it?"
        case .tooLarge(let maximumBytes): "is larger than \(maximumBytes) bytes"
        }
    }
}
