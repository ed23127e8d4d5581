internal import HummingbirdCore
internal import Logging
internal import Loops
internal import NIOCore

/// HTTP/1.1 whose requests are answered on the event loop of their connection.
///
/// Wherever an answer has been waited for, of a store or a peer, the task goes on where the response will be written: it
/// need not be handed from loop to loop for that. What an actor does, or a task that others share, is done elsewhere.
struct LoopBoundChannel: ServerChildChannel {
    let base: HTTP1Channel

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        base.setup(channel: channel, logger: logger)
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async {
        await withTaskExecutorPreference(LoopExecutor(loop: value.channel.eventLoop)) {
            await base.handle(value: value, logger: logger)
        }
    }
}
