internal import HummingbirdCore
internal import Logging
internal import Loops
internal import NIOCore
internal import NIOHTTPTypesHTTP1

/// HTTP/1.1 whose requests are answered on the event loop of their connection, and checked as messages first.
///
/// After waiting for a store or a peer, the task goes on where the response will be written: it need not be handed from
/// loop to loop for that. What an actor does, or a task that others share, is done elsewhere.
struct LoopBoundChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger).flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(MessageRules(), position: .before(codec))
            return value
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
