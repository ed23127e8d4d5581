internal import ArgumentParser
internal import CommandSupport
internal import Settings
internal import Stores

extension StoreError {
    /// 78 if the operator has to change something about the files before any start can succeed.
    var exitCode: ExitCode {
        switch self {
        case .exposed, .notLocal: Exit.configuration
        default: Exit.failure
        }
    }

    /// The code, and what an operator may do about it.
    var advice: String {
        switch self {
        case .tablesBehind: "\(code); run token-exchange migrate, with a role that may make tables"
        case .newerSchema: "\(code); a later version of token-exchange has been here, use that"
        case .unavailable(.cannotOpen): "\(code); is it there, and may this user open it? serve or migrate make it"
        case .outcomeUnknown: "\(code); look whether it was done before you repeat it"
        case .exposed(let path, let objection):
            "\(code); the file \(path) \(objection), or start with \(Settings.Allowances.insecurePermissionsFlag)"
        case .notLocal(let fileSystem):
            "\(code); SQLite needs a local file system, and this one is \(fileSystem). Move the file, use PostgreSQL, or "
                + "start with \(Settings.Allowances.networkFilesystemFlag)"
        default: code
        }
    }
}
