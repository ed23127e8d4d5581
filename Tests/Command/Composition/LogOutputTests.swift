import Flows
import Foundation
import JOSE
import Jansson
import Logging
import Testing
import Transport

@testable import Server
@testable import Settings
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

    /// The line that an event has with `logging.format: google`.
    private static func googleLine(
        _ variables: [String: String] = [:], projectID: String? = "my-project", _ log: (Logger) -> Void
    ) throws -> JSON {
        var settings = Settings()
        settings.logging.format = .google
        settings.logging.level = .trace
        settings.firebase.projectID = projectID
        let pipe = Pipe()
        log(
            LogOutput.logger(
                settings, google: GoogleLog(settings, environment: variables), to: LogSink(pipe.fileHandleForWriting)))
        return try JSON.parse(Array((Self.lines(pipe, until: ["\n"]).first ?? "").utf8))
    }

    private static let parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test(
        "With format: google a line has a severity of Google",
        arguments: [
            (Logger.Level.trace, "DEBUG"), (.debug, "DEBUG"), (.info, "INFO"), (.notice, "NOTICE"),
            (.warning, "WARNING"), (.error, "ERROR"), (.critical, "CRITICAL"),
        ])
    func severity(level: Logger.Level, severity: String) throws {
        let line = try Self.googleLine { $0.log(level: level, "store", metadata: ["problem": "a\nb", "message": "x"]) }
        #expect(line["severity"]?.string == severity)
        #expect(line["message"]?.string == "store")
        #expect(line["problem"]?.string == "a\nb")
        #expect(line["time"]?.string?.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
        #expect(line.object?.keys.sorted() == ["message", "problem", "severity", "time"])
    }

    @Test("With format: google the line of a request has an httpRequest, without the path that the client sent")
    func httpRequest() throws {
        let metadata: Logger.Metadata = [
            "request_id": "r", "endpoint": "/callback", "status": "400", "duration_ms": "1012.345", "method": "GET",
            "response_bytes": "17", "protocol": "HTTP/1.1", "reason": "invalid_state",
        ]
        let line = try Self.googleLine { $0.info("request", metadata: metadata) }
        #expect(
            line["httpRequest"]
                == .object([
                    "requestMethod": .string("GET"), "requestUrl": .string("/callback"), "status": .integer(400),
                    "latency": .string("1.012345s"), "responseSize": .string("17"), "protocol": .string("HTTP/1.1"),
                ]))
        #expect(
            line.object?.keys.sorted()
                == ["endpoint", "httpRequest", "message", "reason", "request_id", "severity", "time"])
        let other = try Self.googleLine { $0.info("request", metadata: ["endpoint": "other", "status": "404"]) }
        #expect(other["httpRequest"] == .object(["status": .integer(404)]))
    }

    @Test("With format: google a line of a request names the trace in its project, and the span of the caller")
    func trace() throws {
        func line(_ variables: [String: String], projectID: String?, _ parents: [String]) throws -> JSON {
            let trace = TraceContext(parents: parents, states: [])
            return try TraceContext.$current.withValue(trace) {
                try Self.googleLine(variables, projectID: projectID) { $0.info("store") }
            }
        }
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        for (variables, project, name) in [
            ([:], "my-project", "projects/my-project/traces/\(id)"), ([:], nil, id),
            (["GOOGLE_CLOUD_PROJECT": "run-project"], "my-project", "projects/run-project/traces/\(id)"),
            (["GOOGLE_CLOUD_PROJECT": ""], "my-project", "projects/my-project/traces/\(id)"),
        ] as [([String: String], String?, String)] {
            let line = try line(variables, projectID: project, [Self.parent])
            #expect(line["logging.googleapis.com/trace"]?.string == name)
            #expect(line["logging.googleapis.com/spanId"]?.string == "00f067aa0ba902b7")
            #expect(line["logging.googleapis.com/trace_sampled"] == .bool(true))
            #expect(line["trace_id"] == nil && line["span_id"] == nil)
        }
        let begun = try line([:], projectID: nil, [])
        #expect(begun["logging.googleapis.com/spanId"]?.string?.utf8.count == 16)
        #expect(begun["logging.googleapis.com/trace_sampled"] == .bool(false))
    }

    @Test("A line has the metadata of its logger, except the id that Hummingbird gives each request")
    func loggerMetadata() throws {
        let line = try Self.googleLine { logger in
            var logger = logger
            logger[metadataKey: "hb.request.id"] = "7"
            logger[metadataKey: "listener"] = "public"
            logger.info("store")
        }
        #expect(line.object?.keys.sorted() == ["listener", "message", "severity", "time"])
    }

    @Test("With format: google a line names the service and its revision, or the job and its execution")
    func deployment() throws {
        let service = try Self.googleLine(["K_SERVICE": "sign-in", "K_REVISION": "sign-in-7"]) { $0.info("store") }
        #expect(
            service["serviceContext"] == .object(["service": .string("sign-in"), "version": .string("sign-in-7")]))
        #expect(service["logging.googleapis.com/labels"] == nil)
        let job = try Self.googleLine(
            ["CLOUD_RUN_JOB": "sweep", "CLOUD_RUN_EXECUTION": "sweep-x", "CLOUD_RUN_TASK_INDEX": "0"]
        ) { $0.info("store") }
        #expect(job["serviceContext"] == .object(["service": .string("sweep"), "version": .string("sweep-x")]))
        #expect(job["logging.googleapis.com/labels"] == .object(["task_index": .string("0")]))
    }

    @Test("With format: google an audit line keeps its members, and is a notice with a message")
    func audit() throws {
        let event = AuditEvent(
            kind: .refusal, time: Timestamp(milliseconds: 0), requestID: "r", endpoint: "/v1/exchange",
            subject: AuditSubject(), reason: "replayed")
        let line = try JSON.parse(Array(GoogleLog(Settings(), environment: [:]).line(of: event.members).utf8))
        var expected = event.members
        expected["message"] = .string("audit")
        expected["severity"] = .string("NOTICE")
        #expect(line == .object(expected))
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
