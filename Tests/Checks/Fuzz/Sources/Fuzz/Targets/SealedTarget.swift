import JOSE
import Jansson
import Standards

/// A sealed value: arbitrary text, or a value that the seal made, with some bits changed.
///
/// An input that begins with `!` is a list of changes of two octets each: the position, and the bits.
enum SealedTarget {
    private static let holder = "my-app\0yahoo.com"
    private static let key = demanded(SealKey(Array("the seal key of the fuzz package".utf8)), "the key has 32 octets")
    private static let seal = Seal(keys: [key])
    private static let content = JSON.object(["state": .string("s"), "expires_at": .integer(1_700_000_000)])
    private static let genuine = demanded(
        try? seal.seal(content, as: .session, for: holder), "a value can be sealed")

    static func check(_ input: [UInt8]) {
        if input.first == octet("!") {
            checkChanges(input.dropFirst())
        } else if let text = String(validating: input, as: UTF8.self) {
            demand(seal.open(text, as: .session, for: holder) == nil, "a text that was not sealed does not open")
            if let value = try? JSON.parse(input) { checkRoundTrip(value) }
        }
        let opened = seal.open(Base64URL.encode(input), as: .session, for: holder)
        demand(opened == nil, "octets that were not sealed do not open")
    }

    private static func checkChanges(_ changes: ArraySlice<UInt8>) {
        let original = demanded(try? Base64URL.decode(genuine), "a sealed value is base64url")
        var changed = original
        var rest = changes
        while let place = rest.popFirst(), let bits = rest.popFirst() { changed[Int(place) % changed.count] ^= bits }
        let opened = seal.open(Base64URL.encode(changed), as: .session, for: holder)
        demand(
            opened == (changed == original ? content : nil), "a value opens as it was sealed, to the last bit")
        // An octet that remains of the list shortens the value.
        if let cut = changes.last {
            let kept = Base64URL.encode(Array(original.prefix(Int(cut) % original.count)))
            demand(seal.open(kept, as: .session, for: holder) == nil, "half of a value does not open")
        }
    }

    private static func checkRoundTrip(_ value: JSON) {
        guard let sealed = try? seal.seal(value, as: .session, for: holder) else { return }
        // The limit applies to the sealed text. The content may have more levels than the parser accepts.
        if sealed.utf8.count <= 8192 {
            let opened = seal.open(sealed, as: .session, for: holder)
            demand(opened?.serialized() == value.serialized(), "a sealed value opens")
        }
        demand(seal.open(sealed, as: .flow, for: holder) == nil, "a value opens as no other kind")
        demand(seal.open(sealed, as: .session, for: holder + "x") == nil, "a value opens for no other holder")
    }
}
