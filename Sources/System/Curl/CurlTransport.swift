internal import Foundation
package import Transport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Outbound calls through libcurl, all on one thread.
///
/// libcurl reuses connections, with HTTP/2 if the peer supports it. It follows no redirects, and uses no proxy but the one of the
/// configuration. It asks for no compression, and decodes that of a server that compresses nevertheless. It takes no settings
/// from the environment or from a configuration file. The transport sends a POST at most
/// once, and a GET a second time if a reused connection closes without a response.
package final class CurlTransport: Sendable {
    private let commands: CommandQueue

    package init(configuration: CurlConfiguration = CurlConfiguration()) throws(CurlError) {
        try CurlLibrary.start()
        guard unsafe access(configuration.effectiveCABundle, R_OK) == 0 else {
            throw .unreadableCABundle(path: configuration.effectiveCABundle)
        }
        try EasyHandle().setRules(scheme: "https", configuration: configuration)
        let multi = try MultiHandle()
        let commands = CommandQueue(waking: multi)
        self.commands = commands
        Thread.detachNewThread { [weak multi] in
            Thread.current.name = "curl"
            Self.ignoreBrokenPipes()
            if let multi {
                Engine(commands: commands, multi: multi, configuration: configuration).run()
            }
            commands.end()
        }
    }

    deinit { commands.stop() }

    package var transport: HTTPTransport {
        HTTPTransport { request throws(TransportError) in try await self.send(request) }
    }

    /// Ends calls in progress with `TransportError.cancelled`, and returns after all connections are closed.
    ///
    /// Later calls fail with the same error.
    package func shutdown() async {
        commands.stop()
        await commands.untilEnd()
    }

    private func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
        let call = try Call(request, now: .now)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard call.wait(continuation) else { return }
                if !commands.post(.submit(call)) {
                    call.finish(.failure(.cancelled(requestSent: false)))
                }
            }
        } onCancel: {
            if call.cancel() { _ = commands.post(.cancel(call)) }
        }
        return try outcome.get()
    }

    /// Makes a write to a closed connection return EPIPE, on this thread only.
    ///
    /// CURLOPT_NOSIGNAL(3): 1 "makes libcurl NOT ask the system to ignore SIGPIPE signals".
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGPIPE)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// The settings of outbound calls.
///
/// No setting is read from the environment.
package struct CurlConfiguration: Sendable {
    /// The certificates of public authorities on Debian and its derivatives.
    package static let distributionCABundle = "/etc/ssl/certs/ca-certificates.crt"

    /// A PEM file with the only trusted authorities; `nil` for those of the distribution.
    package var caBundle: String?
    /// Returns the time limit for name lookup, TCP and TLS together, from the time that is left for a call.
    ///
    /// The other half is left for another address, or for another attempt.
    package var connectTimeout: @Sendable (Duration) -> Duration = { max(.seconds(2), $0 / 2) }
    /// The maximum number of concurrent calls to one origin that name no queue.
    ///
    /// Further calls wait.
    package var activePerOrigin = 256
    /// The maximum number of waiting calls in one queue.
    ///
    /// Further calls fail with `TransportError.overloaded`. The deadlines of the calls usually keep a queue short, so
    /// this number only limits the memory.
    package var waitingPerQueue = 16_384
    /// The age at which a connection is no longer reused, so that new addresses and certificates take effect.
    ///
    /// It is rounded down to whole seconds, at least 1 second.
    package var connectionLifetime: Duration = .seconds(300)
    /// The idle time after which a connection is not reused, because the peer may be closing it.
    ///
    /// It is rounded down to whole seconds, at least 1 second.
    package var idleLifetime: Duration = .seconds(60)
    /// The proxy for calls by `https`; `nil` for direct connections.
    package var proxy: OutboundProxy?
    /// The value of the `User-Agent` field.
    package var userAgent = "token-exchange"

    package init() {}

    var effectiveCABundle: String { caBundle ?? Self.distributionCABundle }
}

/// An HTTP proxy that connects to other servers (RFC 9110 §9.3.6).
///
/// It resolves their names. Its description contains neither user name nor password.
package struct OutboundProxy: Sendable {
    /// Host and port, as they stand in a URL.
    package let address: String
    /// The value of `Proxy-Authorization` (RFC 7617 §2); `nil` for none.
    let authorization: String?
    private let exempts: @Sendable (_ host: String) -> Bool

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - address: Host and port, as they stand in a URL.
    ///   - user: The user name, without a colon; `nil` if the proxy requires none.
    ///   - password: The password of the user; `nil` for an empty one.
    ///   - exempts: Returns whether calls to a host connect directly. The host is in lower case, as it stands in a URL.
    package init(
        address: String, user: String? = nil, password: String? = nil,
        exempts: @escaping @Sendable (_ host: String) -> Bool = { _ in false }
    ) {
        self.address = address
        authorization = user.map { "Basic " + Data("\($0):\(password ?? "")".utf8).base64EncodedString() }
        self.exempts = exempts
    }

    /// Whether calls to a target use the proxy.
    ///
    /// Calls by plain `http` do not: only hosts of this machine or of its network may be called in this way, and the proxy
    /// could read them.
    func carries(_ target: Target) -> Bool {
        target.origin.scheme == "https" && !target.isOfThisMachine && !exempts(target.origin.host)
    }
}

extension OutboundProxy: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String { address }
    package var debugDescription: String { description }
}

/// The reason why the transport cannot be used.
///
/// The error of a single call is a `TransportError`.
package enum CurlError: Error, Equatable, Sendable {
    /// The C library could not be initialized, or lacks memory for a handle.
    case initializationFailed
    /// The library lacks a required feature.
    case unsuitableLibrary(version: String, missing: String)
    /// This build of the library does not support a required option, given by its number in `curl.h`.
    case unsupportedOption(UInt32)
    /// The file with the trusted certificates is missing or not readable.
    case unreadableCABundle(path: String)
}

extension CurlError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .initializationFailed: "it could not be initialized, or has too little memory"
        case .unsuitableLibrary(let version, let missing): "the version \(version) lacks \(missing)"
        case .unsupportedOption(let number): "it does not support the option \(number) of curl.h"
        case .unreadableCABundle(let path):
            "the file \(path) with the trusted authorities is missing, or cannot be read: install the package ca-certificates, "
                + "or put the PEM bundle of this system there"
        }
    }
}
