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
