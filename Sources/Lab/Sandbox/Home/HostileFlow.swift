import JOSE
import Jansson

/// What a hostile application tries; every one of these ends in a refusal.
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

    /// What the stand-in is to issue, and for whom.
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

    /// The type of the credential, and what is said beside the two last steps.
    private var plan: (type: String, harvest: String, attack: String) {
        switch client.scenario {
        case .otherConsumer:
            (
                "oauth1_token", "Alice signed in to the Hostile App, which now holds a good pair for her account.",
                "The pair is genuine, and it is Alice’s. But X issued it to the Hostile App."
            )
        case .bareAccessToken:
            (
                "access_token",
                "Alice signed in to the Hostile App, which now holds a good access token for her account.",
                """
                Yahoo would answer for this token, and name Alice. A server that only asked “whose is it?” would now let \
                the Hostile App in as her.
                """
            )
        case .alteredClaims:
            (
                "id_token", "Mallory signed in to our own application, with her own account.",
                "Mallory wrote Alice’s id over her own as sub. The signature is still the one over what Yahoo wrote."
            )
        case .unsigned:
            (
                "id_token", "Mallory signed in to our own application, with her own account.",
                "Mallory wrote Alice’s id over her own as sub, and set alg to none: “do not look at the signature”."
            )
        default:
            (
                "id_token", "Alice signed in to the Hostile App. The nonce is ours: it asked our server for one.",
                "Yahoo’s signature is genuine, the nonce is right and the person is real. Only aud names somebody else."
            )
        }
    }

    /// Alice's id in place of the token's own; header and signature as they were.
    private static func altered(_ token: String) -> String {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3 else { return token }
        return [parts[0], withAlice(parts[1]), parts[2]].joined(separator: ".")
    }

    /// `alg` is `none`; the old signature stays, since an empty one is not even read.
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
