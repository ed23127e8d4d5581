internal import Foundation
internal import Jansson
internal import Logging
internal import Settings
internal import Transport

/// Lines of JSON with the members that Google Cloud moves to the fields of a log entry.
///
/// - SeeAlso: <https://cloud.google.com/logging/docs/structured-logging>
struct GoogleLog: Sendable {
    /// The project of traces; `nil` if it is not known, so that Google takes that of the entry.
    private let project: String?
    /// What names the deployment in each line.
    private let deployment: [String: JSON]

    /// Creates the writer of a process.
    ///
    /// - Parameters:
    ///   - settings: The configuration, whose `firebase.project_id` is the project of traces.
    ///   - environment: The variables: `GOOGLE_CLOUD_PROJECT`, which replaces that project, and those by which Cloud Run names
    ///     a service or a job.
    init(_ settings: Settings, environment: [String: String] = ProcessInfo.processInfo.environment) {
        func variable(_ name: String) -> JSON? { environment[name].flatMap { $0.isEmpty ? nil : .string($0) } }
        project = variable("GOOGLE_CLOUD_PROJECT")?.string ?? settings.firebase.projectID
        var context: [String: JSON] = [:]
        context["service"] = variable("K_SERVICE") ?? variable("CLOUD_RUN_JOB")
        context["version"] = variable("K_REVISION") ?? variable("CLOUD_RUN_EXECUTION")
        var labels: [String: JSON] = [:]
        labels["task_index"] = variable("CLOUD_RUN_TASK_INDEX")
        deployment = ["serviceContext": context, "logging.googleapis.com/labels": labels]
            .filter { !$0.value.isEmpty }.mapValues(JSON.object)
    }

    /// Makes the line of an event.
    ///
    /// - Parameter time: Its time (RFC 3339).
    /// - Returns: The line, without a line break.
    func line(of members: [String: String], _ level: Logger.Level, _ message: String, at time: String) -> String {
        var members = members
        let request = members["endpoint"].flatMap { _ in Self.request(taking: &members) }
        var line = members.mapValues(JSON.string)
        line["httpRequest"] = request
        line["message"] = .string(message)
        line["time"] = .string(time)
        return self.line(line, Self.severity(of: level))
    }

    /// Makes the line of an audited event.
    func line(of event: [String: JSON]) -> String {
        line(event.merging(["message": .string("audit")]) { $1 }, "NOTICE")
    }

    private func line(_ members: [String: JSON], _ severity: String) -> String {
        var members = members.merging(deployment) { $1 }
        members["severity"] = .string(severity)
        if let trace = TraceContext.current {
            members["trace_id"] = nil
            members["span_id"] = nil
            members["logging.googleapis.com/trace"] = .string(
                project.map { "projects/\($0)/traces/\(trace.traceID)" } ?? trace.traceID)
            // Google's front end records the span of the caller, and nothing records that of this server.
            members["logging.googleapis.com/spanId"] = .string(trace.parentID ?? trace.spanID)
            members["logging.googleapis.com/trace_sampled"] = .bool(trace.isSampled)
        }
        return String(decoding: JSON.object(members).serialized(), as: UTF8.self)
    }

    /// Moves what the line of a request says into an `HttpRequest`.
    ///
    /// The URL is the name of the endpoint: a path or a query may contain a credential.
    private static func request(taking members: inout [String: String]) -> JSON? {
        guard let status = members.removeValue(forKey: "status").flatMap(Int64.init) else { return nil }
        var request: [String: JSON] = ["status": .integer(status)]
        request["requestMethod"] = members.removeValue(forKey: "method").map(JSON.string)
        request["requestUrl"] = members["endpoint"].flatMap { $0.hasPrefix("/") ? .string($0) : nil }
        request["responseSize"] = members.removeValue(forKey: "response_bytes").map(JSON.string)
        request["protocol"] = members.removeValue(forKey: "protocol").map(JSON.string)
        request["latency"] = members.removeValue(forKey: "duration_ms").flatMap(latency(ofMilliseconds:)).map(
            JSON.string)
        return .object(request)
    }

    /// Returns `0.012345s` for `12.345`.
    private static func latency(ofMilliseconds text: String) -> String? {
        guard let microseconds = Int64(text.filter { $0 != "." }) else { return nil }
        let fraction = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - fraction.count) + fraction + "s"
    }

    private static func severity(of level: Logger.Level) -> String {
        switch level {
        case .trace, .debug: "DEBUG"
        case .info: "INFO"
        case .notice: "NOTICE"
        case .warning: "WARNING"
        case .error: "ERROR"
        case .critical: "CRITICAL"
        }
    }
}
