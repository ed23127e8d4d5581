import Foundation
import Testing

@testable import token_exchange

@Suite("Log sink", .timeLimit(.minutes(5)))
struct LogOutputTests {
    /// Reads all lines until the text contains each of `ends`.
    private static func lines(_ pipe: Pipe, until ends: [String]) -> [String] {
        var text = ""
        while !ends.allSatisfy(text.contains) {
            let more = pipe.fileHandleForReading.availableData
            guard !more.isEmpty else { break }
            text += String(decoding: more, as: UTF8.self)
        }
        return text.split(separator: "\n").map(String.init)
    }

    /// Blocks the writer with a line that exceeds the capacity of a pipe, and returns when a part of it was written.
    private static func stall(_ sink: LogSink, _ pipe: Pipe) {
        sink.write("stalled " + String(repeating: "x", count: 1_000_000))
        var reader = pollfd(fd: pipe.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
        while unsafe poll(&reader, 1, -1) != 1 {}
    }

    @Test("LG-04: while the reader has stopped, many log lines and refusals displace no audit line of a success")
    func stalledReader() {
        let pipe = Pipe()
        let sink = LogSink(pipe.fileHandleForWriting)
        Self.stall(sink, pipe)
        for number in 0..<30_000 { sink.write("log \(number).") }
        for number in 0..<12_000 { sink.write("refusal \(number).", as: .audit(isRefusal: true)) }
        for number in 0..<200 { sink.write("done \(number).", as: .audit(isRefusal: false)) }

        var lines = Self.lines(pipe, until: ["done 199.\n", "log 9999.\n"])
        // This is the last line, so nothing is queued after it and the pipe may close.
        sink.write("end")
        lines += Self.lines(pipe, until: ["end\n"])
        let kept = Dictionary(grouping: lines) { $0.prefix { !$0.isWhitespace && $0 != ":" } }.mapValues(\.count)
        #expect(
            kept == [
                "stalled": 1, "log": 10_000, "refusal": 5_000, "done": 200, "{\"dropped_audit_lines\"": 1,
                "{\"dropped_log_lines\"": 1, "end": 1,
            ])
        let areTold = ["{\"dropped_audit_lines\":7000}", "{\"dropped_log_lines\":20000}"].map(lines.contains)
        #expect(areTold == [true, true])
    }

    @Test("Audit lines are written before log lines that were queued earlier")
    func order() {
        let pipe = Pipe()
        let sink = LogSink(pipe.fileHandleForWriting)
        Self.stall(sink, pipe)
        for number in 0..<2 { sink.write("log \(number)") }
        sink.write("done", as: .audit(isRefusal: false))
        let lines = Self.lines(pipe, until: ["log 1\n"])
        #expect(lines.dropFirst() == ["done", "log 0", "log 1"])
    }

    @Test("A flush returns after all lines are written")
    func flush() {
        let pipe = Pipe()
        let sink = LogSink(pipe.fileHandleForWriting)
        for number in 0..<100 { sink.write("\(number)") }
        sink.flush()
        #expect(pipe.fileHandleForReading.availableData.count == 290)
    }
}
