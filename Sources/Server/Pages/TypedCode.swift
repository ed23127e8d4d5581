/// Filters the code that a user typed, before the page shows it again.
enum TypedCode {
    static func shown(_ text: String) -> String {
        let kept = text.utf8.filter { octet in
            switch octet {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: " "):
                true
            default: false
            }
        }
        return String(decoding: kept.prefix(16), as: UTF8.self)
    }
}
