import Jansson

extension StandIns {
    /// A Firebase ID token of that uid.
    ///
    /// - `further`: see `FirebaseIDTokenOrder`.
    func idToken(_ uid: String, _ further: JSON = [:]) async throws -> String {
        let order = (further.object ?? [:]).merging(["uid": .string(uid)]) { $1 }
        return try await self.order("POST", "/google/id-token", .object(order))["id_token"]?.string ?? ""
    }

    /// - `further`: see `AppCheckTokenOrder`.
    func appCheckToken(_ app: String = "1:1:web:a", _ further: JSON = [:]) async throws -> String {
        let order = (further.object ?? [:]).merging(["app_id": .string(app)]) { $1 }
        return try await self.order("POST", "/google/app-check-token", .object(order))["app_check_token"]?.string ?? ""
    }

    /// Makes or changes a Firebase user; see `FirebaseUserOrder`.
    func firebaseUser(_ uid: String, _ change: JSON = [:]) async throws {
        try await order("PUT", "/google/users", change.setting("uid", to: .string(uid)))
    }

    /// The Firebase users, as Identity Toolkit shows them.
    func firebaseUsers() async throws -> [JSON] {
        try await order("GET", "/google/users").array ?? []
    }

    func foundFirebaseUser(_ uid: String) async throws -> JSON? {
        try await firebaseUsers().first { $0["localId"]?.string == uid }
    }

    func rotateIDTokenKeys(keepingOld: Bool) async throws {
        try await order("POST", "/google/rotate", ["keys": "id_token", "keep_old": .bool(keepingOld)])
    }
}
