internal import Foundation
package import Transport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Calls to peers through libcurl, on one thread for all of them.
///
/// Connections are kept and used again, with HTTP/2 where the peer speaks it. No call is redirected or compressed, none
/// goes through a proxy, and nothing is read from the environment or from files but the certificates to trust. A POST is
/// sent once at most; a GET is sent a second time if a connection that was used before dies without an answer.
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

    /// Ends what is under way with `TransportError.cancelled`, closes all connections, and returns when they are
    /// closed.
    ///
    /// Every later call fails likewise.
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

    /// Has a write to a closed connection answer EPIPE, on this thread alone.
    ///
    /// CURLOPT_NOSIGNAL(3): 1 "makes libcurl NOT ask the system to ignore SIGPIPE signals".
    private static func ignoreBrokenPipes() {
        var signals = sigset_t()
        _ = unsafe sigemptyset(&signals)
        _ = unsafe sigaddset(&signals, SIGPIPE)
        _ = unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}

/// How calls leave this process.
///
/// Nothing of it is read from the environment.
package struct CurlConfiguration: Sendable, Equatable {
    /// Where Debian and its descendants keep the certificates of public authorities.
    package static let distributionCABundle = "/etc/ssl/certs/ca-certificates.crt"

    /// A PEM file of the only authorities that are trusted; nil for the distribution's.
    package var caBundle: String?
    /// The share of a call's time that name lookup, TCP and TLS may take together.
    package var connectTimeout: Duration = .seconds(2)
    /// In whole seconds: an answer that brings less than 100 bytes a second for so long is given up.
    package var stallTimeout: Duration = .seconds(10)
    /// Calls under way to one origin that name no queue; further ones wait in line.
    package var activePerOrigin = 256
    /// Calls that wait in one line; further ones fail with `TransportError.overloaded`.
    ///
    /// What keeps a line short is the time that its calls have left; this number bounds the memory.
    package var waitingPerQueue = 16_384
    /// In whole seconds: a connection so old is not used again, so that new addresses and certificates get their turn.
    package var connectionLifetime: Duration = .seconds(300)
    /// In whole seconds: a connection idle for so long is not used again, since the peer may be about to close it.
    package var idleLifetime: Duration = .seconds(60)
    /// Sent as `User-Agent`.
    package var userAgent = "token-exchange"

    package init() {}

    var effectiveCABundle: String { caBundle ?? Self.distributionCABundle }
}

/// Why there can be no calls at all.
///
/// What happens to one call is a `TransportError`.
package enum CurlError: Error, Equatable, Sendable {
    /// The C library could not be initialized, or lacks memory for a handle.
    case initializationFailed
    /// The library in use lacks something that our promises rest on.
    case unsuitableLibrary(version: String, missing: String)
    /// This build of the library does not know an option that we rely on, by its number in `curl.h`.
    case unsupportedOption(UInt32)
    /// The file with the certificates to trust is not there, or not for us to read.
    case unreadableCABundle(path: String)

    /// A stable word for logs and metrics.
    package var code: String {
        switch self {
        case .initializationFailed: "curl.initialization_failed"
        case .unsuitableLibrary: "curl.unsuitable_library"
        case .unsupportedOption: "curl.unsupported_option"
        case .unreadableCABundle: "curl.unreadable_ca_bundle"
        }
    }
}
