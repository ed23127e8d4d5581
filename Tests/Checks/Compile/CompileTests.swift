import Testing

@Suite("What does not compile", .serialized, .timeLimit(.minutes(10)))
struct CompileTests {
    @Test("The compiler refuses it with its message, and takes the legitimate use", arguments: Snippet.all)
    func refused(_ snippet: Snippet) async throws {
        let legitimate = try await Compiler.errors(in: snippet.control)
        #expect(legitimate == [])
        let refused = try await Compiler.errors(in: snippet.refused)
        #expect(refused == [snippet.error])
    }
}
