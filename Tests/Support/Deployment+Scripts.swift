internal import JOSE
package import Jansson
internal import Transport

extension Deployment {
    /// Makes Yahoo redeem every code for this ID token, and serve its userinfo endpoint.
    package func scriptYahoo(_ idToken: IDTokenBuilder) throws {
        peer.script(.post, Yahoo.token, .json(try Self.tokens(idToken, accessToken: Yahoo.accessToken)))
        scriptUserInfo(Yahoo.userInfo, subject: idToken.claims["sub"]?.string ?? "")
    }

    /// Makes the generic provider redeem every code for this ID token, and serve its userinfo endpoint.
    package func scriptGeneric(_ idToken: IDTokenBuilder) throws {
        peer.script(.post, Generic.token, .json(try Self.tokens(idToken, accessToken: Generic.accessToken)))
        scriptUserInfo(Generic.userInfo, subject: idToken.claims["sub"]?.string ?? "")
    }

    /// Makes a userinfo endpoint respond with this subject.
    package func scriptUserInfo(_ url: String, subject: String) {
        let answer = JSON.object([
            "sub": .string(subject), "picture": .string("https://img.example/p.png"),
            "preferred_username": .string("ann"),
        ])
        peer.script(.get, url, .json(String(decoding: answer.serialized(), as: UTF8.self)))
    }

    /// Makes the generic provider introspect its access token as active; `members` replace members, or remove them by
    /// `nil`.
    package func scriptIntrospection(changing members: [String: JSON?] = [:]) {
        var answer: [String: JSON] = [
            "active": .bool(true), "client_id": .string(Generic.clientID), "sub": .string(Generic.subject),
            "iss": .string(Generic.issuer), "exp": .integer(clock.now.seconds + 60), "scope": .string("openid"),
        ]
        for (name, value) in members { answer[name] = value }
        peer.script(
            .post, Generic.introspection,
            .json(String(decoding: JSON.object(answer).serialized(), as: UTF8.self)))
        scriptUserInfo(Generic.userInfo, subject: Generic.subject)
    }

    /// Makes X serve its endpoints of both protocols.
    package func scriptX(id: String = X.userID) {
        peer.script(.post, X.requestToken, .form(X.temporary()))
        peer.script(.post, X.accessToken, .form(X.credentials))
        peer.script(.get, X.verifyCredentials, .json(X.person(id: id)))
        peer.script(.post, X.token, .json(X.tokens))
        peer.script(.get, X.usersMe, .json(X.me(id: id)))
    }

    /// Returns the response of a token endpoint with an ID token.
    package static func tokens(_ idToken: IDTokenBuilder, accessToken: String) throws -> String {
        let answer = JSON.object([
            "access_token": .string(accessToken), "token_type": .string("bearer"), "expires_in": .integer(3600),
            "refresh_token": .string("refresh-token"), "id_token": .string(try idToken.compact()),
        ])
        return String(decoding: answer.serialized(), as: UTF8.self)
    }
}
