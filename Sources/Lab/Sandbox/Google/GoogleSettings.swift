/// What Google's stand-in is told when it starts.
package struct GoogleSettings: Sendable {
    /// 0 asks for a free one.
    package let port: Int
    package let projectID: String
    /// What clients send as `key`.
    package let apiKey: String
    /// Those whose keys sign outside of the stand-in.
    package let serviceAccounts: [GoogleServiceAccount]
    /// Of Identity Platform; a tenant that is not named here does not exist.
    package let tenants: [String]

    package init(
        port: Int = 0, projectID: String = "sandbox", apiKey: String = "sandbox-api-key",
        serviceAccounts: [GoogleServiceAccount] = [], tenants: [String] = ["tenant-1"]
    ) {
        self.port = port
        self.projectID = projectID
        self.apiKey = apiKey
        self.serviceAccounts = serviceAccounts
        self.tenants = tenants
    }
}
