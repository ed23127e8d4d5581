import NIOCore
import NIOEmbedded
import Testing

@testable import LocalSockets

@Suite("Frames of a connection")
struct FrameDecoderTests {
    private let channel = EmbeddedChannel(
        handler: ByteToMessageHandler(FrameDecoder(maximumBytes: 10, patience: .seconds(10))))

    init() throws {
        try channel.connect(to: SocketAddress(unixDomainSocketPath: "/socket")).wait()
    }

    private func receive(_ bytes: [UInt8]) throws {
        try channel.writeInbound(ByteBuffer(bytes: bytes))
    }

    @Test("A frame that does not end closes its connection, even if its bytes keep coming")
    func unfinished() throws {
        for byte: UInt8 in [0, 0, 0, 10, 0] {
            try receive([byte])
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        }
        channel.embeddedEventLoop.advanceTime(by: .seconds(4))
        #expect(channel.isActive)
        channel.embeddedEventLoop.advanceTime(by: .seconds(1))
        #expect(!channel.isActive)
    }

    @Test("A whole frame keeps its connection, and the next one has its own time")
    func finished() throws {
        try receive([0, 0, 0, 1, 0, 0])
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        try receive([0, 7, 42])
        #expect(try channel.readInbound() == Frame(number: 7, body: [42]))
        channel.embeddedEventLoop.advanceTime(by: .seconds(60))
        #expect(channel.isActive)
        try receive([0])
        channel.embeddedEventLoop.advanceTime(by: .seconds(9))
        #expect(channel.isActive)
        // The channel and its handlers hold each other until it is closed.
        _ = try? channel.finish()
    }
}
