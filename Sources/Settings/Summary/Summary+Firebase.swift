extension Summary {
    mutating func add(_ firebase: Settings.Firebase) {
        switch firebase.signing {
        case .serviceAccounts(let files): add("firebase.service_account", files.map(\.path).inList)
        case .emulator(let host): add("firebase.emulator_host", "\(host) (tokens are unsigned)")
        case .iam(let serviceAccount):
            add("firebase.signer", "iam")
            add("firebase.iam_service_account", serviceAccount ?? "the metadata server's")
        }
        add("firebase.token_lifetime", DurationText.write(firebase.tokenLifetime))
        add("firebase.project_id", firebase.projectID ?? "the service account's")
        add("firebase.tenant_id", firebase.tenantID)
        add("firebase.check_revoked", String(firebase.checksRevocation))
        add("firebase.directory", firebase.directory.rawValue)
        add("firebase.sync_profile", String(firebase.syncsProfile))
        add("firebase.api_key", firebase.apiKey.map(\.source.elided))
        add("firebase.endpoints.identity_toolkit", firebase.endpoints.identityToolkit)
        add("firebase.endpoints.oauth_token", firebase.endpoints.oauthToken)
        add("firebase.endpoints.id_token_keys", firebase.endpoints.idTokenKeys)
        add("firebase.endpoints.app_check_keys", firebase.endpoints.appCheckKeys)
        add("firebase.endpoints.iam_credentials", firebase.endpoints.iamCredentials)
        add("firebase.endpoints.metadata", firebase.endpoints.metadata)
    }
}
