import JOSE
import Jansson

/// The attacks of a hostile application.
///
/// The server must refuse every one.
struct HostileFlow {
    let client: RunClient

    func run() async {
        let messages = LibraryFlow(client: client)
        guard let nonce = await messages.nonce(.hostileNonce),
            let stolen = await messages.issue(.harvest, command(nonce), note: plan.harvest)
        else { return }
        var credential = credential(stolen)
        credential["nonce"] = .string(nonce.verifier)
        await client.finish(.attack, messages.exchange(plan.type, credential), note: plan.attack)
    }

    /// The members of the `POST /issue` request: what the stand-in issues, and for which user.
    private func command(_ nonce: LibraryFlow.Nonce) -> [String: JSON] {
        switch client.scenario {
        case .otherConsumer: ["protocol": .string("oauth1"), "application": .string("hostile")]
        case .alteredClaims, .unsigned: ["user": .string("mallory"), "nonce": .string(nonce.value)]
        default: ["application": .string("hostile"), "nonce": .string(nonce.value)]
        }
    }

    private func credential(_ stolen: JSON) -> [String: JSON] {
        let token = stolen["id_token"]?.string ?? ""
        return switch client.scenario {
        case .otherConsumer:
            [
                "oauth_token": stolen["oauth_token"] ?? .null,
                "oauth_token_secret": stolen["oauth_token_secret"] ?? .null,
            ]
        case .bareAccessToken: ["access_token": stolen["access_token"] ?? .null]
        case .alteredClaims: ["id_token": .string(Self.altered(token))]
        case .unsigned: ["id_token": .string(Self.unsigned(token))]
        default: ["id_token": .string(token)]
        }
    }

    /// The type of the credential, and the notes for the last two steps.
    private var plan: (type: String, harvest: String, attack: String) {
        switch client.scenario {
        case .otherConsumer:
            (
                "oauth1_token", "Alice signed in to the Hostile App, which now has a valid token pair for her account.",
                "The pair is genuine and belongs to Alice. But X issued it to the Hostile App."
            )
        case .bareAccessToken:
            (
                "access_token",
                "Alice signed in to the Hostile App, which now has a valid access token for her account.",
                """
                Asked about this token, Yahoo names Alice. A server that checks nothing else would sign the Hostile App in as Alice.
                """
            )
        case .alteredClaims:
            (
                "id_token", "Mallory signed in to our own application, with her own account.",
                "Mallory replaced her own id in sub by Alice’s. The signature still covers the original text."
            )
        case .unsigned:
            (
                "id_token", "Mallory signed in to our own application, with her own account.",
                "Mallory replaced her own id in sub by Alice’s, and set alg to none, which means “unsigned”."
            )
        default:
            (
                "id_token", "Alice signed in to the Hostile App, which used a nonce of our server.",
                "Yahoo’s signature is genuine, the nonce is right and the user is real. But aud names another application."
            )
        }
    }

    /// Replaces the subject by Alice's id.
    ///
    /// Header and signature stay as they were.
    private static func altered(_ token: String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return token }
        return [parts[0], withAlice(parts[1]), parts[2]].joined(separator: ".")
    }

    /// Sets `alg` to `none` and replaces the subject by Alice's id.
    ///
    /// The old signature stays: the server does not even read a token with an empty one.
    private static func unsigned(_ token: String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return token }
        let header = JSON.object(["alg": .string("none")]).serialized()
        return Base64URL.encode(header) + "." + withAlice(parts[1]) + "." + parts[2]
    }

    private static func withAlice(_ payload: String) -> String {
        guard let bytes = try? Base64URL.decode(payload), case .object(var claims)? = try? JSON.parse(bytes) else {
            return payload
        }
        claims["sub"] = .string(SandboxUser.alice.yahooSubject)
        return Base64URL.encode(JSON.object(claims).serialized())
    }
}
