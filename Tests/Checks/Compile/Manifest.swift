import Fixtures
import Foundation

/// The targets of `Package.swift`, as SwiftPM reads them.
struct Manifest: Sendable {
    struct Target: Sendable {
        let type: String
        let path: String
        /// The names of the dependencies that are targets of this package.
        let dependencies: Set<String>
    }

    struct Unreadable: Error {
        let errors: String
    }

    let targets: [String: Target]

    init() async throws {
        // The scratch folder is a new one, since the process that runs the tests may have locked the one of the build.
        let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID())")
        defer { try? FileManager.default.removeItem(at: scratch) }
        let outcome = try await Tool.run([
            "TOKEN_EXCHANGE_TARGETS=all", "swift", "package", "--package-path", Fixtures.repository.path,
            "--scratch-path", scratch.path,
            "dump-package",
        ])
        guard let package = try? JSONDecoder().decode(Dump.self, from: outcome.output)
        else { throw Unreadable(errors: outcome.errors) }
        let names = Set(package.targets.map(\.name))
        targets = Dictionary(
            uniqueKeysWithValues: package.targets.map { target in
                let dependencies = target.dependencies.flatMap { [$0.byName, $0.target] }
                    .compactMap { $0?.first.flatMap(\.self) }
                return (
                    target.name,
                    Target(type: target.type, path: target.path ?? "", dependencies: names.intersection(dependencies))
                )
            })
    }

    /// Returns a target and all targets that it reaches by dependencies.
    func closure(of name: String) -> Set<String> {
        var reached: Set<String> = []
        var ahead = [name]
        while let next = ahead.popLast() {
            guard reached.insert(next).inserted else { continue }
            ahead += targets[next]?.dependencies ?? []
        }
        return reached
    }

    private struct Dump: Decodable {
        struct Target: Decodable {
            struct Dependency: Decodable {
                let byName: [String?]?
                let target: [String?]?

                private enum CodingKeys: CodingKey { case byName, target }

                /// Decodes the name of a dependency; the second element of the array is a condition.
                init(from decoder: any Decoder) throws {
                    let members = try decoder.container(keyedBy: CodingKeys.self)
                    func first(_ key: CodingKeys) throws -> [String?]? {
                        guard members.contains(key) else { return nil }
                        var elements = try members.nestedUnkeyedContainer(forKey: key)
                        return [try elements.decode(String.self)]
                    }
                    byName = try first(.byName)
                    target = try first(.target)
                }
            }

            let name: String
            let type: String
            let path: String?
            let dependencies: [Dependency]
        }

        let targets: [Target]
    }
}
