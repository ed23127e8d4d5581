import CCurl
import Curl
import Foundation
import Synchronization
import Testing
import Transport

@Suite("libcurl without memory", .timeLimit(.minutes(5)))
struct MemoryTests {
    @Test(
        "R-16: A call fails or gets the whole answer, whichever allocation of libcurl fails, and the next call succeeds"
    )
    func fails() async {
        // This needs a process of its own, since all threads share the allocator.
        await #expect(processExitsWith: .success) {
            let server = try LoopbackServer { connection in
                while connection.nextRequest() != nil { connection.answer("peer") }
            }
            #expect(Allocator.install())
            let curl = try CurlTransport.with { _ in }
            var number = 0
            var failures = 0
            var isReached = true
            while isReached {
                Allocator.left.store(number, ordering: .relaxed)
                let answer = try? await curl.get(server.url())
                isReached = Allocator.left.exchange(.max, ordering: .relaxed) < 0
                number += 1
                guard let answer else {
                    failures += 1
                    continue
                }
                #expect(answer.text == "peer")
            }
            #expect(failures > 10)
            #expect(try await curl.get(server.url()).text == "peer")
        }
    }
}

/// An allocator for libcurl that fails once.
private enum Allocator {
    /// How many allocations succeed before the one that fails.
    static let left = Atomic(Int.max)

    private static var isEmpty: Bool { left.subtract(1, ordering: .relaxed).oldValue == 0 }

    static func install() -> Bool {
        let code = unsafe curl_global_init_mem(
            Int(CURL_GLOBAL_DEFAULT),
            { size in Allocator.isEmpty ? nil : unsafe malloc(size) },
            { memory in unsafe free(memory) },
            { memory, size in Allocator.isEmpty ? nil : unsafe realloc(memory, size) },
            { text in
                guard !Allocator.isEmpty, let text = unsafe text else { return nil }
                return unsafe strdup(text)
            },
            { count, size in Allocator.isEmpty ? nil : unsafe calloc(count, size) })
        return code == CURLE_OK
    }
}
