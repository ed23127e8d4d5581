import CJansson
import Foundation
import Jansson
import Synchronization
import Testing

@Suite("The parser without memory")
struct JSONMemoryTests {
    @Test("R-16: A text is refused, whichever allocation of jansson fails")
    func refused() async {
        // This needs a process of its own, since all threads share the allocator.
        await #expect(processExitsWith: .success) {
            let text = Array(#"{"text":"a\u00e9b","list":[1,-2.5,true,null,{}],"object":{"a":"b","c":"d"}}"#.utf8)
            let expected = try JSON.parse(text)
            Allocator.install()
            var refusals = 0
            while true {
                Allocator.left.store(refusals, ordering: .relaxed)
                guard let value = try? JSON.parse(text) else {
                    refusals += 1
                    continue
                }
                #expect(value == expected)
                break
            }
            #expect(refusals > 10)
        }
    }
}

/// An allocator for jansson that fails once.
private enum Allocator {
    /// How many allocations succeed before the one that fails.
    static let left = Atomic(Int.max)

    static func install() {
        unsafe json_set_alloc_funcs(
            { size in
                let (number, _) = Allocator.left.subtract(1, ordering: .relaxed)
                return number == 0 ? nil : unsafe malloc(size)
            },
            { memory in unsafe free(memory) })
    }
}
