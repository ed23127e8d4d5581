/// Failures of a running server that requests do not show, because it continues with what it read before.
///
/// Each one becomes visible at a later start or date, when it is too late to repair it without an outage or a loss.
struct SurvivedFailures: OptionSet, Hashable {
    /// The last reload failed, so that the server does not use the configuration that its files contain.
    static let configurationNotReloaded = Self(rawValue: 1)
    /// The certificate of the public listener expires within 14 days, has expired or is not valid yet.
    static let certificateExpires = Self(rawValue: 2)
    /// A key file beside the database is missing, cannot be read, or has another key than the server uses.
    ///
    /// The next start fails, or the second factors of users are lost.
    static let keyFilesLost = Self(rawValue: 4)

    let rawValue: Int

    /// The warnings of `/readyz`.
    var warnings: [String] {
        [
            (Self.configurationNotReloaded, "configuration_not_reloaded"), (.certificateExpires, "certificate_expires"),
            (.keyFilesLost, "key_files_lost"),
        ].filter { contains($0.0) }.map(\.1)
    }
}
