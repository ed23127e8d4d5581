internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A request to the server.
struct Call: Sendable {
    enum Body: Sendable {
        case none
        case json([String: JSONValue])
        case form([(String, String)])
    }

    let method: String
    /// The path after the server's URL, with its query.
    let path: String
    let body: Body
    /// Whether the request is for the account of the user, whose Firebase ID token it needs.
    let isForUser: Bool

    static func post(_ path: String, _ members: [String: JSONValue], isForUser: Bool = false) -> Call {
        Call(method: "POST", path: path, body: .json(members), isForUser: isForUser)
    }

    static func form(_ path: String, _ fields: [(String, String)], isForUser: Bool = false) -> Call {
        Call(method: "POST", path: path, body: .form(fields), isForUser: isForUser)
    }
}

/// Sends requests to the server, and again if the server says that they had no effect.
struct ServerAPI: Sendable {
    let server: URL
    let http: TokenExchangeClient.HTTPClient
    let idToken: TokenExchangeClient.TokenSource?
    let appCheckToken: TokenExchangeClient.TokenSource?
    let timing: Timing

    /// The number of times that a request is sent at most.
    private static let attempts = 3
    /// A longer `Retry-After` is left to the application: the user would see no progress.
    private static let longestPause: TimeInterval = 20

    /// The server's URL without a trailing slash, which is also its issuer (RFC 8414 §2).
    var issuer: String {
        let text = server.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Sends a request and decodes the response.
    func send<Answer: Decodable>(_ call: Call, as type: Answer.Type) async throws(TokenExchangeError) -> Answer {
        try Self.decode(type, try await send(call))
    }

    /// Sends a request and returns the body of its successful response.
    func send(_ call: Call) async throws(TokenExchangeError) -> Data {
        var attempt = 1
        while true {
            do throws(TokenExchangeError) {
                return try await sendOnce(call)
            } catch {
                let pause = error.retryAfter ?? Double(attempt) * timing.jitter()
                guard error.retry == .same, attempt < Self.attempts, pause <= Self.longestPause else { throw error }
                attempt += 1
                try await self.pause(pause)
            }
        }
    }

    /// Waits for that many seconds.
    func pause(_ seconds: TimeInterval) async throws(TokenExchangeError) {
        do {
            try await timing.pause(seconds)
        } catch {
            throw TokenExchangeError(browser: error)
        }
    }

    private func sendOnce(_ call: Call) async throws(TokenExchangeError) -> Data {
        let request = try await request(call)
        let data: Data
        let response: HTTPURLResponse
        do {
            (data, response) = try await http(request)
        } catch {
            guard !TokenExchangeError.isCancellation(error), !Task.isCancelled else { throw .cancelled }
            throw TokenExchangeError(
                .networkFailed, code: "auth/network-request-failed",
                "The server did not respond: \(error.localizedDescription)", underlying: error)
        }
        guard (200...299).contains(response.statusCode) else {
            throw TokenExchangeError(
                try? Self.decode(ErrorAnswer.self, data), status: response.statusCode,
                retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap(UInt32.init)
                    .map(TimeInterval.init))
        }
        return data
    }

    private func request(_ call: Call) async throws(TokenExchangeError) -> URLRequest {
        guard Self.isSecure(server), let url = URL(string: issuer + call.path) else {
            throw .insecureServer
        }
        var request = URLRequest(url: url)
        request.httpMethod = call.method
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        if call.isForUser {
            guard let idToken else {
                throw TokenExchangeError(
                    .tokenUnavailable, code: "auth/null-user",
                    "This call is about the account of the user. Make the client with idToken.")
            }
            let token = try await token("Firebase ID token", of: idToken, missing: "auth/null-user")
            request.setValue("Bearer " + token, forHTTPHeaderField: "Authorization")
        }
        if let appCheckToken {
            let token = try await token(
                "App Check token", of: appCheckToken, missing: "auth/firebase-app-check-token-is-invalid")
            request.setValue(token, forHTTPHeaderField: "X-Firebase-AppCheck")
        }
        switch call.body {
        case .none: break
        case .json(let members):
            request.setValue("application/json", forHTTPHeaderField: "Content-Type")
            request.httpBody = try? JSONEncoder().encode(JSONValue.object(members))
        case .form(let fields):
            request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            request.httpBody = Data(FormEncoding.text(fields).utf8)
        }
        return request
    }

    /// Returns the token of a closure of the application, whose failure has the code `missing`.
    private func token(
        _ name: String, of source: TokenExchangeClient.TokenSource, missing code: String
    ) async throws(TokenExchangeError) -> String {
        do {
            return try await source()
        } catch {
            guard !TokenExchangeError.isCancellation(error) else { throw .cancelled }
            throw TokenExchangeError(
                .tokenUnavailable, code: code,
                "The application has no \(name): \(error.localizedDescription)", underlying: error)
        }
    }

    /// Whether requests are encrypted, or do not leave the device.
    ///
    /// RFC 8252 §8.3: loopback addresses do not leave it. RFC 6761 §6.3: the name `localhost` resolves to one.
    static func isSecure(_ server: URL) -> Bool {
        switch server.scheme?.lowercased() {
        case "https": server.host != nil
        case "http": ["127.0.0.1", "[::1]", "::1", "localhost"].contains(server.host)
        default: false
        }
    }

    static func decode<Answer: Decodable>(
        _ type: Answer.Type, _ data: Data
    ) throws(TokenExchangeError) -> Answer {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        do {
            return try decoder.decode(type, from: data)
        } catch {
            throw .unexpectedResponse(TokenExchangeError.foreignResponse())
        }
    }
}
