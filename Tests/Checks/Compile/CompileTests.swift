import Testing

@Suite("Code that does not compile", .serialized, .timeLimit(.minutes(10)))
struct CompileTests {
    @Test("The compiler refuses the misuse with its message, and accepts the legitimate use", arguments: Snippet.all)
    func refused(_ snippet: Snippet) async throws {
        let legitimate = try await Compiler.errors(in: snippet.control)
        #expect(legitimate == [])
        let refused = try await Compiler.errors(in: snippet.refused)
        #expect(refused == [snippet.error])
    }
}
