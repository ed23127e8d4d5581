internal import Foundation
internal import Jansson
internal import NIOCore
internal import NIOPosix
internal import Transport

/// A client for the sandbox's control listener, which manages the registrations of applications.
struct SandboxControl: Sendable {
    let origin: String
    let peer: PeerClient

    func registrations() async throws -> Registrations {
        let response = try await peer.send(OutboundRequest(.get, origin + "/applications"))
        let ours = try JSON.parse(response.body)["ours"] ?? .null
        let (yahoo, x) = (ours["yahoo.com"] ?? .null, ours["twitter.com"] ?? .null)
        guard let consumerKey = x["consumer_key"]?.string, let consumerSecret = x["consumer_secret"]?.string,
            let yahoo = Self.registration(yahoo), let x = Self.registration(x)
        else { throw CocoaError(.coderReadCorrupt) }
        return Registrations(yahoo: yahoo, x: x, consumer: (consumerKey, consumerSecret))
    }

    /// Adds the redirect URIs of a backend to those that are registered.
    func addCallbacks(_ server: String) async throws {
        let registrations = try await registrations()
        for (provider, registration) in [(Yahoo.id, registrations.yahoo), (X.id, registrations.x)] {
            let uris = registration.redirectURIs + [server + Endpoint.callback.rawValue + provider]
            let change: [String: JSON] = [
                "provider": .string(provider), "application": .string("ours"),
                "redirect_uris": .array(uris.map(JSON.string)),
            ]
            try await put("/applications", JSON.object(change).serialized())
        }
    }

    /// Sends a PUT request, which the HTTP client for peers does not support.
    private func put(_ path: String, _ body: [UInt8]) async throws {
        guard let url = URL(string: origin), let host = url.host(), let port = url.port else {
            throw CocoaError(.fileReadInvalidFileName)
        }
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        let head = [
            "PUT \(path) HTTP/1.1", "Host: \(host):\(port)", "Content-Type: application/json",
            "Content-Length: \(body.count)", "Connection: close", "", "",
        ]
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(bytes: Array(head.joined(separator: "\r\n").utf8) + body))
            var answer = ""
            for try await part in inbound { answer += String(decoding: part.readableBytesView, as: UTF8.self) }
            guard answer.hasPrefix("HTTP/1.1 2") else { throw CocoaError(.coderInvalidValue) }
        }
    }

    private static func registration(_ json: JSON) -> Registrations.Registration? {
        guard let id = json["client_id"]?.string, let secret = json["client_secret"]?.string else { return nil }
        return Registrations.Registration(
            clientID: id, clientSecret: secret,
            redirectURIs: (json["redirect_uris"]?.array ?? []).compactMap(\.string))
    }
}

/// The ids and secrets of our application at the providers, and its redirect URIs.
struct Registrations: Sendable {
    struct Registration: Sendable {
        let clientID: String
        let clientSecret: String
        let redirectURIs: [String]
    }

    let yahoo: Registration
    let x: Registration
    let consumer: (key: String, secret: String)
}
