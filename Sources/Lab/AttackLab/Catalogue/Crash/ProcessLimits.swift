internal import Foundation

/// What a running process may use, and what it does use.
struct ProcessLimits: Sendable {
    let processID: Int32

    /// `Inconclusive` where the server does not run.
    init(of server: TestServer, in bed: TestBed) async throws {
        guard let processID = await bed.processID(of: server) else { throw Inconclusive("The server does not run.") }
        self.processID = processID
    }

    /// No file of its may grow beyond; nil for no limit.
    func setLargestFile(_ bytes: Int?) async throws { try await set("fsize", bytes) }

    /// It may have no more than these open.
    func setOpenFiles(_ count: Int) async throws { try await set("nofile", count) }

    /// Descriptors that are open.
    var openFiles: Int {
        get throws {
            guard let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processID)/fd") else {
                throw Inconclusive("The server's descriptors cannot be counted.")
            }
            return names.count
        }
    }

    /// Resident memory in bytes.
    var memory: Int {
        get throws {
            let status = try? String(contentsOfFile: "/proc/\(processID)/status", encoding: .utf8)
            guard let line = status?.split(separator: "\n").first(where: { $0.hasPrefix("VmRSS:") }),
                let kibibytes = line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({
                    Int($0)
                })
            else { throw Inconclusive("The server's memory cannot be read.") }
            return kibibytes << 10
        }
    }

    /// The soft limit alone, so that it can be taken back without any right.
    private func set(_ resource: String, _ value: Int?) async throws {
        let program = "/usr/bin/prlimit"
        guard FileManager.default.isExecutableFile(atPath: program) else { throw Inconclusive("There is no prlimit.") }
        let soft = value.map(String.init) ?? "unlimited"
        let child = try ChildProcess(
            program, ["--pid", "\(processID)", "--\(resource)=\(soft):"], log: "/dev/null")
        guard await child.hasEnded(within: .seconds(5)), child.exitCode == 0 else {
            throw Inconclusive("The server's limit of \(resource) cannot be changed.")
        }
    }
}
