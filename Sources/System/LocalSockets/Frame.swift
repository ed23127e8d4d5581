internal import NIOCore

/// A message on a Unix socket: its length and its number as big-endian integers of 32 bits, then its body.
///
/// An answer has the number of its question, so that several questions may be open on one connection. The answer with
/// the number 0 is for the connection as a whole: the server has not admitted the peer, and closes the connection.
struct Frame: Sendable, Equatable {
    /// The maximum number of bytes of a question.
    static let maximumBytes = 64 * 1024
    /// The maximum number of bytes of an answer, which may contain a question in base64.
    static let maximumAnswerBytes = 128 * 1024
    /// The number of the answer to a peer that was not admitted.
    ///
    /// No question of ``FrameClient`` has it.
    static let refusalNumber: UInt32 = 0

    let number: UInt32
    let body: [UInt8]
}

/// Why one side closes a connection.
package enum FrameFault: Error, Equatable, Sendable {
    /// The peer may not ask; nothing of it was read.
    case notAdmitted
    /// The length of the frame exceeds the maximum; its body was not read.
    case tooLarge(bytes: Int)
    /// The connection ended inside a frame.
    case truncated
}

/// Reads frames, and refuses one that is too large when it has read its length.
final class FrameDecoder: ByteToMessageDecoder {
    typealias InboundOut = Frame

    private static let headBytes = 8

    private let maximumBytes: Int
    private let patience: TimeAmount
    private var alarm: Scheduled<Void>?

    /// - Parameters:
    ///   - maximumBytes: The maximum number of bytes of a body.
    ///   - patience: The time from the first byte of a frame to its last one, after which the connection is closed. A peer
    ///     that sends single bytes is never idle.
    init(maximumBytes: Int, patience: TimeAmount = .seconds(10)) {
        self.maximumBytes = maximumBytes
        self.patience = patience
    }

    func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let state = try decodeFrame(context, &buffer)
        if state == .continue {
            alarm?.cancel()
            alarm = nil
        } else if alarm == nil, buffer.readableBytes > 0 {
            let channel = context.channel
            alarm = context.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        }
        return state
    }

    private func decodeFrame(
        _ context: ChannelHandlerContext, _ buffer: inout ByteBuffer
    ) throws -> DecodingState {
        guard let length = buffer.getInteger(at: buffer.readerIndex, as: UInt32.self).map(Int.init) else {
            return .needMoreData
        }
        guard length <= maximumBytes else { throw FrameFault.tooLarge(bytes: length) }
        guard buffer.readableBytes >= Self.headBytes + length else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: MemoryLayout<UInt32>.size)
        guard let number = buffer.readInteger(as: UInt32.self), let body = buffer.readBytes(length: length) else {
            return .needMoreData
        }
        context.fireChannelRead(wrapInboundOut(Frame(number: number, body: body)))
        return .continue
    }

    func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        while try decodeFrame(context, &buffer) == .continue {}
        alarm?.cancel()
        if buffer.readableBytes > 0 { throw FrameFault.truncated }
        return .needMoreData
    }
}

/// Writes frames.
final class FrameEncoder: MessageToByteEncoder {
    typealias OutboundIn = Frame

    func encode(data frame: Frame, out buffer: inout ByteBuffer) {
        buffer.writeInteger(UInt32(frame.body.count))
        buffer.writeInteger(frame.number)
        buffer.writeBytes(frame.body)
    }
}
