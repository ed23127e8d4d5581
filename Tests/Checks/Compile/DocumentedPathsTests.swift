import Fixtures
import Foundation
import Testing

@Suite("Paths in the documentation")
struct DocumentedPathsTests {
    private static let pages = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md", "Sources/README.md"]

    /// The pages of the guide, relative to the repository.
    private static var guide: [String] {
        let folder = "Sources/Documentation/Guide.docc"
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: Fixtures.repository.appending(path: folder).path)
        return (names ?? []).filter { $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
    }

    @Test("The guide has pages")
    func guidePages() {
        #expect(Self.guide.count > 10)
    }

    @Test(
        "Every path in code marks and every relative link names a file or folder of the repository",
        arguments: pages + guide)
    func paths(page: String) throws {
        let file = Fixtures.repository.appending(path: page)
        let text = try String(contentsOf: file, encoding: .utf8)
        let named = text.matches(of: /`((?:Sources|Tests|scripts|config|\.ci)\/[^`\s]*)`/).map {
            Fixtures.repository.appending(path: String($0.output.1))
        }
        let linked = text.matches(of: /\]\(([^)#:\s]+)(?:#[^)]*)?\)/).map { link in
            // DocC finds an image by its name.
            page.contains(".docc/")
                ? file.deletingLastPathComponent().appending(path: "Resources/\(link.output.1)")
                : file.deletingLastPathComponent().appending(path: String(link.output.1))
        }
        #expect(page == "CHANGELOG.md" || !Self.pages.contains(page) || !(named + linked).isEmpty)
        for path in named + linked {
            #expect(Self.exists(path), "\(path.path)")
        }
    }

    /// Whether a path exists; a star in its last part stands for any characters.
    private static func exists(_ path: URL) -> Bool {
        guard path.lastPathComponent.contains("*") else { return FileManager.default.fileExists(atPath: path.path) }
        let parts = path.lastPathComponent.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
        let files = try? FileManager.default.contentsOfDirectory(atPath: path.deletingLastPathComponent().path)
        return (files ?? []).contains { $0.hasPrefix(parts[0]) && $0.hasSuffix(parts[parts.count - 1]) }
    }
}
