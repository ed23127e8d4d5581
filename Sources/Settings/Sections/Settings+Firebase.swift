extension Settings {
    /// `firebase`: whose tokens are minted.
    package struct Firebase: Sendable, Equatable {
        /// What signs: keys of service accounts, or nothing at all.
        package enum Signing: Sendable, Equatable {
            /// The first signs. Never empty.
            case serviceAccounts([ServiceAccountFile])
            /// The Authentication emulator at `host:port` on loopback: tokens are unsigned.
            case emulator(host: String)
        }

        package let signing: Signing
        /// At most an hour, in whole seconds.
        package let tokenLifetime: Duration
        /// `nil`: that of the service account that signs.
        package let projectID: String?
        package let tenantID: String?
    }

    /// A service account's file, of which is not checked that it is JSON and that its key is good.
    package struct ServiceAccountFile: Sendable, Equatable {
        package let path: String
        package let json: SecretValue
    }
}

extension Settings.Firebase {
    static let keys = [
        "service_account", "signer", "token_lifetime", "project_id", "tenant_id", "check_revoked", "directory",
        "sync_profile", "api_key", "emulator_host", "endpoints",
    ]
    /// Google takes a custom token for an hour at most.
    static let tokenLifetimes: ClosedRange<Duration> = .seconds(1) ... .seconds(3600)

    static func read(_ section: Section, server: Settings.Server?) -> Self? {
        section.refuseUnsupported("signer", unless: .word("service_account"), "write service_account")
        section.refuseUnsupported("directory", unless: .word("local"), "write local")
        section.refuseUnsupported("check_revoked", unless: .off)
        section.refuseUnsupported("sync_profile", unless: .off)
        section.refuseUnsupported("api_key", unless: .absent)
        section.refuseUnsupported("endpoints", unless: .absent)
        let signing = readSigning(section, server: server)
        let lifetime =
            section["token_lifetime"].map { $0.duration(in: tokenLifetimes, inWholeSeconds: true) } ?? .seconds(300)
        let projectID = section["project_id"].map { $0.googleName() }
        let tenantID = section["tenant_id"].map { $0.googleName() }
        guard let signing, let lifetime else { return nil }
        return Self(signing: signing, tokenLifetime: lifetime, projectID: projectID ?? nil, tenantID: tenantID ?? nil)
    }
}

extension Entry {
    /// A project's or a tenant's id.
    fileprivate func googleName() -> String? {
        guard let text = text() else { return nil }
        let isName = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "-.:".utf8.contains(byte)
        }
        guard isName, text.utf8.count <= 64 else { return refusing("write the id that the Firebase console shows") }
        return text
    }
}
