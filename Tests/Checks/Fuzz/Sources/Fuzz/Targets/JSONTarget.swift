import Foundation
import Jansson

/// JSON (RFC 8259), by the strict parser.
enum JSONTarget {
    static func check(_ input: [UInt8]) {
        let tolerated = try? JSON.parse(tolerantly: input)
        if let tolerated { demand(depth(of: tolerated) <= 16, "the value has no more than 16 levels") }
        guard let value = try? JSON.parse(input) else { return }
        demand(tolerated != nil, "what the strict parser accepts is tolerated")
        demand(value.object != nil || value.array != nil, "the value is an object or an array")
        demand(depth(of: value) <= 16, "the value has no more than 16 levels")
        demand(String(validating: input, as: UTF8.self) != nil, "an accepted text is UTF-8")

        let text = value.serialized()
        let again = demanded(try? JSON.parse(text, maximumBytes: .max), "what was written can be read")
        demand(again.serialized() == text, "parsing and serializing changes nothing")
        demand(
            (try? JSONSerialization.jsonObject(with: Data(input))) != nil, "another reader takes what is accepted here")
        if !input.isEmpty {
            demand(
                (try? JSON.parse(input, maximumBytes: input.count - 1)) == nil, "a text above the limit is refused")
        }
    }

    private static func depth(of value: JSON) -> Int {
        switch value {
        case .array(let elements): 1 + (elements.map(depth).max() ?? 0)
        case .object(let members): 1 + (members.values.map(depth).max() ?? 0)
        default: 0
        }
    }
}
