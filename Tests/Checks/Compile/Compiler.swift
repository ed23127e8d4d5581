import Fixtures
import Foundation

/// The compiler as SwiftPM calls it for a target of this package.
enum Compiler {
    /// The errors, without their places; none where the code compiles.
    static func errors(in code: String) async throws -> [String] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "snippet-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "Snippet.swift")
        try Data(code.utf8).write(to: file)
        // As far as SIL: what is consumed twice comes to light behind the type checker.
        let outcome = try await Tool.run(
            ["swiftc", "-emit-sil", "-o", "/dev/null", "-diagnostic-style", "llvm", "-module-name", "Snippet"]
                + settings + [file.path])
        let errors = outcome.errors.split(separator: "\n").compactMap { line in
            line.firstRange(of: " error: ").map { String(line[$0.upperBound...]) }
        }
        // A compiler that did not even begin has said so, too.
        return errors.isEmpty && outcome.status != 0 ? [outcome.errors] : errors
    }

    private static var settings: [String] {
        // One spelling of the path, for a module cache takes two spellings for two caches.
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .resolvingSymlinksInPath()
        let moduleMaps = ["COpenSSL", "CCurl", "CJansson"].flatMap { name in
            ["-Xcc", "-fmodule-map-file=\(Fixtures.repository.path)/Sources/System/\(name)/module.modulemap"]
        }
        return [
            "-I", products.appending(path: "Modules").path, "-module-cache-path",
            products.appending(path: "CompileTests.cache").path, "-package-name", packageName, "-swift-version", "6",
            "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "MemberImportVisibility",
            "-enable-upcoming-feature", "InternalImportsByDefault", "-strict-memory-safety", "-warnings-as-errors",
        ] + moduleMaps
    }

    /// SwiftPM names a package by its folder, in letters that an identifier may have.
    private static var packageName: String {
        String(
            Fixtures.repository.lastPathComponent.lowercased().map { character in
                character.isLetter || character.isNumber || character == "_" ? character : "_"
            })
    }
}
