import Fixtures
import Foundation

/// The compiler, with the settings that SwiftPM uses for a target of this package.
enum Compiler {
    /// Compiles code, and returns the messages of its errors; empty if the code compiles.
    static func errors(in code: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Snippet.swift")
        try Data(code.utf8).write(to: file)
        // The compiler runs up to SIL, since a value that is consumed twice is detected after type checking.
        let outcome = try await Tool.run(
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-diagnostic-style", "llvm", "-module-name", "Snippet"]
                + settings + [file.path])
        let errors = outcome.errors.split(separator: "\n").compactMap { line in
            line.firstRange(of: " error: ").map { String(line[$0.upperBound...]) }
        }
        // If the compiler itself failed, its output is the error.
        return errors.isEmpty && outcome.status != 0 ? [outcome.errors] : errors
    }

    private static var settings: [String] {
        // The path is resolved, since a module cache treats two spellings of a path as two caches.
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .resolvingSymlinksInPath()
        let moduleMaps = ["COpenSSL", "CLinux", "CCurl", "CJansson"].flatMap { name in
            ["-Xcc", "-fmodule-map-file=\(Fixtures.repository.path)/Sources/System/\(name)/module.modulemap"]
        }
        return [
            "-I", products.appending(path: "Modules").path, "-module-cache-path",
            products.appending(path: "CompileTests.cache").path, "-package-name", packageName, "-swift-version", "6",
            "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility",
            "-enable-upcoming-feature", "InternalImportsByDefault", "-strict-memory-safety", "-warnings-as-errors",
        ] + moduleMaps
    }

    /// The name that SwiftPM gives the package: the name of its folder, in characters that an identifier may have.
    private static var packageName: String {
        String(
            Fixtures.repository.lastPathComponent.lowercased().map { character in
                character.isLetter || character.isNumber || character == "_" ? character : "_"
            })
    }
}
