import Standards

/// Forms, percent-encoding, and typed user codes.
enum FormTarget {
    static func check(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        checkPercentEncoding(of: text)
        checkForm(text)
        if let code = UserCode(typed: text) {
            let again = UserCode(typed: code.description)
            demand(again == code, "a user code that is shown can be typed")
        }
        if let verifier = CodeVerifier(text) {
            demand(verifier.challenge.utf8.count == 43, "a challenge is a digest")
        }
    }

    private static func checkPercentEncoding(of text: String) {
        let encoded = PercentEncoding.encode(text)
        demand(
            encoded.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || $0 == octet("%") },
            "what is encoded is unreserved")
        for plusIsSpace in [false, true] {
            let decoded = PercentEncoding.decode(encoded, plusIsSpace: plusIsSpace)
            demand(decoded.map { areSame($0, text) } == true, "decoding returns the encoded text")
        }
    }

    private static func checkForm(_ text: String) {
        guard let form = try? Parameters.parse(text) else { return }
        // The separators of the standard are octets (URL Standard §5.1), also before a combining mark.
        let parts = text.utf8.split(separator: octet("&"))
        demand(form.pairs.count == parts.count, "every part between two ampersands is a parameter")
        demand(form.pairs.count <= 100, "there are at most a hundred parameters")
        for (pair, part) in zip(form.pairs, parts) {
            let name = PercentEncoding.decode(Substring(part.prefix { $0 != octet("=") }), plusIsSpace: true)
            demand(name.map { areSame($0, pair.name) } == true, "the name ends at the first equals sign")
            demand(
                !(pair.name + pair.value).unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F },
                "there are no control characters")
        }
        demand(Set(form.pairs.map { Array($0.name.utf8) }).count == form.pairs.count, "no name occurs twice")

        let again = demanded(try? Parameters.parse(form.encoded), "what was written can be read")
        demand(
            again.pairs.elementsEqual(form.pairs) { areSame($0.name, $1.name) && areSame($0.value, $1.value) },
            "reading and writing changes nothing")
    }
}
