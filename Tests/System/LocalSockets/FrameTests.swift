import Foundation
import LocalSockets
import Synchronization
import Testing
import Transport

@Suite("Questions on a Unix socket", .timeLimit(.minutes(1)))
struct FrameTests {
    private let folder: String
    private var path: String { folder + "/socket" }

    init() throws {
        folder = NSTemporaryDirectory() + "token-exchange-" + UUID().uuidString
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Runs a server that repeats each question while `body` runs.
    private func serving(
        isLast: Bool = false, refusal: [UInt8]? = nil, onPeer: @escaping @Sendable (LocalPeer) -> Void = { _ in },
        onFault: @escaping @Sendable (LocalPeer, FrameFault) -> Void = { _, _ in },
        _ body: @escaping @Sendable (FrameClient) async throws -> Void
    ) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = FrameServer(refusal: { _ in refusal }, onFault: onFault) { peer, question in
            onPeer(peer)
            return FrameServer.Answer(question, isLast: isLast)
        }
        let socket = try ListeningSocket.open(path: path)
        let path = path
        let (isListening, listening) = AsyncStream.makeStream(of: Void.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run(on: socket) { listening.finish() } }
            for await _ in isListening {}
            group.addTask { try await body(FrameClient(path: path, maximumCalls: 100)) }
            try await group.next()
            group.cancelAll()
        }
    }

    @Test("Each of many questions at the same time gets its own answer, and the server knows the user that asks")
    func answers() async throws {
        let users = Mutex<Set<UInt32>>([])
        try await serving(onPeer: { peer in users.withLock { _ = $0.insert(peer.userID) } }) { client in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let question = Array("\(number)".utf8)
                        let answer = try await client.answer(to: question)
                        #expect(answer == question)
                    }
                }
                try await group.waitForAll()
            }
        }
        #expect(users.withLock { $0 } == [geteuid()])
    }

    @Test("A question that is longer than a frame is not sent")
    func tooLarge() async throws {
        try await serving { client in
            let largest = [UInt8](repeating: 1, count: 64 * 1024)
            let answer = try await client.answer(to: largest)
            #expect(answer == largest)
            await #expect(throws: FrameCallError.tooLarge) { try await client.answer(to: largest + [1]) }
        }
    }

    @Test("After the last answer of a connection the client opens another one")
    func reconnection() async throws {
        try await serving(isLast: true) { client in
            for _ in 0..<20 {
                let answer = try await client.answer(to: [1])
                #expect(answer == [1])
            }
        }
    }

    @Test("A peer that is not admitted gets the message of the server for each question, and no question is read")
    func refusal() async throws {
        let faults = Mutex<[FrameFault]>([])
        try await serving(
            refusal: [7], onPeer: { _ in Issue.record("a question was read") },
            onFault: { peer, fault in
                #expect(peer.userID == geteuid())
                faults.withLock { $0.append(fault) }
            }
        ) { client in
            for _ in 0..<20 {
                let answer = try await client.answer(to: [1])
                #expect(answer == [7])
            }
        }
        #expect(faults.withLock { $0 } == [FrameFault](repeating: .notAdmitted, count: 20))
    }

    @Test("No more questions than allowed are open")
    func overload() async {
        let client = FrameClient(path: path, maximumCalls: 0)
        #expect(client.calls.isFull())
        await #expect(throws: FrameCallError.overloaded) { try await client.answer(to: [1]) }
    }

    @Test("A socket that does not exist is an error with its number")
    func absent() async {
        await #expect(throws: FrameCallError.unreachable(errno: 2)) {
            try await FrameClient(path: path, maximumCalls: 1).answer(to: [1])
        }
    }

    @Test("A second process does not replace the socket, and only owner and group may connect")
    func second() async throws {
        let path = path
        try await serving { client in
            _ = try await client.answer(to: [1])
            #expect(throws: ListeningSocketError.inUse) { try ListeningSocket.open(path: path) }
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o660)
        }
    }

    @Test("A path that is not absolute or too long, and a missing folder, are refused")
    func paths() {
        let long = "/" + String(repeating: "x", count: 107)
        #expect(throws: ListeningSocketError.path) { try ListeningSocket.open(path: "socket") }
        #expect(throws: ListeningSocketError.path) { try ListeningSocket.open(path: long) }
        #expect(throws: ListeningSocketError.noFolder) { try ListeningSocket.open(path: "/no-such-folder/socket") }
    }

    @Test("A folder that others may write, and a file that is no socket, are refused")
    func folders() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder)
        #expect(throws: ListeningSocketError.openFolder) { try ListeningSocket.open(path: path) }
        try FileManager.default.setAttributes([.posixPermissions: 0o750], ofItemAtPath: folder)
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        #expect(throws: ListeningSocketError.notASocket) { try ListeningSocket.open(path: path) }
    }

    @Test("No socket is inherited if the variables are for another process")
    func inherited() {
        let variables = ["LISTEN_PID": "1", "LISTEN_FDS": "1"]
        #expect(ListeningSocket.inherited(environment: variables, processID: 2) == nil)
        #expect(ListeningSocket.inherited(environment: ["LISTEN_PID": "2"], processID: 2) == nil)
    }
}

extension FrameClient {
    fileprivate func answer(to question: [UInt8]) async throws(FrameCallError) -> [UInt8] {
        try await calls.ask(question)
    }
}
