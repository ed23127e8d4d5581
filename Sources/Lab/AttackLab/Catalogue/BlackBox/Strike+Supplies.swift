internal import Jansson

/// What the tester supplies, or the stand-ins issue in the tester's place.
extension Strike {
    /// A genuine ID token for the server and the verifier of its nonce.
    func suppliedIDToken() async throws -> (token: String, nonceVerifier: String) {
        if let supplied = lab.supplies?.idToken { return supplied }
        let (nonce, verifier) = try await nonce()
        let issued = try await standIns.issue(["provider": "yahoo.com", "user": "carol", "nonce": .string(nonce)])
        guard let token = issued["id_token"]?.string else { throw Inconclusive("The stand-in issued nothing.") }
        return (token, verifier)
    }

    func suppliedForeignIDToken() async throws -> String {
        if let supplied = lab.supplies?.foreignIDToken { return supplied }
        let issued = try await standIns.issue(["provider": "yahoo.com", "application": "hostile", "user": "carol"])
        guard let token = issued["id_token"]?.string else { throw Inconclusive("The stand-in issued nothing.") }
        return token
    }

    func suppliedAccessToken() async throws -> String {
        if let supplied = lab.supplies?.accessToken { return supplied }
        let issued = try await standIns.issue(["provider": "yahoo.com", "user": "carol"])
        guard let token = issued["access_token"]?.string else { throw Inconclusive("The stand-in issued nothing.") }
        return token
    }
}
