import Foundation
import Testing

@Suite("Modules that are linked into the programs")
struct LinkedModulesTests {
    /// The modules of the laboratory, as Swift mangles them: the length of the name, then the name.
    private static let laboratory = ["7Sandbox", "9AttackLab"]

    /// The mangled modules of which a program has symbols.
    private func modules(of program: Command.Program) throws -> [String] {
        let bytes = try Data(contentsOf: program.file, options: .alwaysMapped)
        print("\(program.rawValue): \(bytes.count / 1_048_576) MiB, built for tests")
        return Self.laboratory.filter { bytes.range(of: Data("$s\($0)".utf8)) != nil }
    }

    @Test("token-exchange contains no symbol of the laboratory")
    func server() throws {
        #expect(try modules(of: .server) == [])
    }

    @Test("token-exchange-lab contains symbols of each of its modules, so the search would find them")
    func lab() throws {
        #expect(try modules(of: .lab) == Self.laboratory)
    }
}
