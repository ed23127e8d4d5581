internal import Foundation
internal import JOSE
internal import NIOCore
internal import OpenSSL

/// A browser sign-in with the requests of browser and application: /authorize, /callback and /token.
///
/// The provider's page is not requested: the callback is computed from the redirect to the provider.
struct BrowserSignIn: RequestSequence {
    private let port: Int
    private let run: String
    private var number = 0
    private var step = 0

    private static let verifier = "the-code-verifier-of-the-bench-is-43-characters"
    private static let challenge = Base64URL.encode(SHA256.hash(Array(verifier.utf8)))

    init(port: Int, run: String) {
        self.port = port
        self.run = run
    }

    func numbered(_ number: Int) -> Self {
        var copy = self
        copy.number = number
        return copy
    }

    mutating func request(after answer: Answer?) -> ByteBuffer? {
        defer { step += 1 }
        guard let answer else { return begin() }
        let target = answer.values(of: "location").first.flatMap(URLComponents.init(string:))
        let values = Dictionary(
            (target?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
        switch step {
        case 1:
            guard let state = values["state"], let nonce = values["nonce"] else { return nil }
            let cookies = answer.values(of: "set-cookie").map { String($0.prefix { $0 != ";" }) }
            return goBack(state: state, nonce: nonce, cookies: cookies)
        case 2:
            guard let code = values["code"] else { return nil }
            return redeem(code)
        default: return nil
        }
    }

    private func begin() -> ByteBuffer {
        Endpoint(
            path: "/authorize?"
                + Self.query([
                    "response_type": "code", "client_id": "bench", "redirect_uri": Traffic.redirectURI,
                    "state": "\(run)-\(number)", "code_challenge": Self.challenge, "code_challenge_method": "S256",
                    "provider": "bench",
                ]), port: port
        ).get()
    }

    private func goBack(state: String, nonce: String, cookies: [String]) -> ByteBuffer {
        let code = ProviderCode(delay: 0, person: number, nonce: nonce).text
        return Endpoint(path: "/callback/bench?" + Self.query(["code": code, "state": state]), port: port).get(cookies)
    }

    private func redeem(_ code: String) -> ByteBuffer {
        let form = Self.query([
            "grant_type": "authorization_code", "code": code, "redirect_uri": Traffic.redirectURI,
            "client_id": "bench", "code_verifier": Self.verifier,
        ])
        return Endpoint(path: "/token", port: port).post(Array(form.utf8), type: "application/x-www-form-urlencoded")
    }

    private static func query(_ values: KeyValuePairs<String, String>) -> String {
        values.map { name, value in
            "\(name)="
                + (value.addingPercentEncoding(
                    withAllowedCharacters: .urlHostAllowed.subtracting(.init(charactersIn: "&+=;"))) ?? "")
        }.joined(separator: "&")
    }
}
