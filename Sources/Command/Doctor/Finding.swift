internal import ArgumentParser
internal import Jansson
internal import Settings

/// What one check of `doctor` found.
struct Finding: Sendable, Equatable {
    /// How much a finding matters, from the least to the most.
    enum Severity: String, Sendable, CaseIterable, Comparable {
        /// The check found nothing to change.
        case ok
        /// A value that the operator needs elsewhere.
        case info
        /// The check was not possible; the text says why.
        case skipped
        /// Sign-ins succeed, but the operator should change something.
        case warning
        /// Sign-ins fail, or will fail soon.
        case error

        static func < (first: Self, second: Self) -> Bool {
            (allCases.firstIndex(of: first) ?? 0) < (allCases.firstIndex(of: second) ?? 0)
        }
    }

    /// The name of the check, which never changes: `clock.offset`.
    let id: String
    /// What the check was about: a provider, a host or a file; `nil` if there is only one.
    let subject: String?
    let severity: Severity
    /// What was measured, as a sentence without secrets.
    let text: String
    /// What the operator should do; `nil` if nothing.
    let remedy: String?

    init(_ id: String, of subject: String? = nil, _ severity: Severity, _ text: String, remedy: String? = nil) {
        self.id = id
        self.subject = subject
        self.severity = severity
        self.text = text
        self.remedy = remedy
    }
}

/// All findings of a run, in the order of the checks.
struct DoctorReport {
    let findings: [Finding]

    /// The worst severity that needs an action; `ok` if none does.
    var result: Finding.Severity {
        let worst = findings.map(\.severity).max() ?? .ok
        return worst < .warning ? .ok : worst
    }

    /// 0 if nothing must be done, 2 for warnings only, 1 for an error.
    var exitCode: ExitCode {
        switch result {
        case .error: Exit.failure
        case .warning: ExitCode(2)
        case .ok, .info, .skipped: .success
        }
    }

    /// One paragraph for each finding, and a last line with their number.
    var text: String {
        let paragraphs = findings.map { finding in
            let subject = finding.subject.map { " (\($0))" } ?? ""
            let lines = ["\(finding.severity.rawValue): \(finding.id)\(subject): \(finding.text)"]
            return (lines + (finding.remedy.map { ["    \($0)"] } ?? [])).map(VisibleText.of).joined(separator: "\n")
        }
        func count(_ severity: Finding.Severity) -> Int { findings.filter { $0.severity == severity }.count }
        func counted(_ severity: Finding.Severity, _ noun: String) -> String {
            Counted.of(count(severity), noun)
        }
        let summary =
            "\(counted(.error, "error")), \(counted(.warning, "warning")), \(counted(.skipped, "check")) skipped, "
            + "\(count(.ok)) without a finding"
        return (paragraphs + [summary]).joined(separator: "\n")
    }

    var json: JSON {
        .object([
            "result": .string(result.rawValue),
            "findings": .array(
                findings.map { finding in
                    var members: [String: JSON] = [
                        "id": .string(finding.id), "severity": .string(finding.severity.rawValue),
                        "text": .string(finding.text),
                    ]
                    members["subject"] = finding.subject.map(JSON.string)
                    members["remedy"] = finding.remedy.map(JSON.string)
                    return .object(members)
                }),
        ])
    }
}
