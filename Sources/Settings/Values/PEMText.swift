/// What is wrong with a text that should be a key or a certificate in PEM (RFC 7468).
///
/// Parsers say only that there is none. Most such texts were damaged on their way: by a variable of the environment, a
/// template, an editor, or because another file was named. Nothing of the content is in a sentence.
package enum PEMText {
    package enum Kind: Sendable {
        case privateKey
        case certificate

        fileprivate var name: String { self == .privateKey ? "private key" : "certificate" }
    }

    /// Says what is wrong with a text, and what to do.
    ///
    /// - Parameters:
    ///   - text: A text that no parser accepts.
    ///   - kind: What it should be.
    /// - Returns: A sentence whose subject, the text, is left out; `nil` if the form of the text is right, so that its
    ///   content must be wrong.
    package static func damage(of text: String, as kind: Kind) -> String? {
        let content = text.trimmed
        if text.unicodeScalars.first == "\u{FEFF}" {
            return "begins with a byte order mark: save it as UTF-8 without one"
        }
        guard !content.isEmpty else { return "is empty: write the \(kind.name) in PEM there" }
        if content.hasPrefix("{") {
            return
                "is JSON and not a \(kind.name) in PEM: name the right file, or write only the value of its member there"
        }
        guard let begin = content.firstRange(of: "-----BEGIN ") else { return foreign(String(content), kind) }
        if content.contains("\\n") {
            return
                #"has the two characters \n instead of line breaks: write a line break for each. In JSON one "#
                + "backslash before the n is a line break, and two are not"
        }
        if let first = content.first, "\"'`“”‘’".contains(first) {
            return "is in quotation marks: remove them"
        }
        let label = String(content[begin.upperBound...].prefix { $0 != "-" && !$0.isNewline })
        if let sentence = other(label, kind) { return sentence }
        // The form of RFC 1421 §4.6.1.1, which old versions of OpenSSL wrote.
        if kind == .privateKey, content.contains("Proc-Type:"), content.contains("ENCRYPTED") { return encrypted }
        if content == "-----BEGIN \(label)-----" {
            return
                #"has only its first line: copy the whole file. For a key in a variable, write file:/path, or the two characters "#
                + #"\n for each line break"#
        }
        guard let end = content.firstRange(of: "-----END \(label)-----") else {
            return "has no line -----END \(label)-----: copy the whole file again"
        }
        guard content[begin.lowerBound..<end.lowerBound].contains(where: \.isNewline) else {
            return "has no line breaks: write the lines of the file as lines"
        }
        let isIndented = content[begin.lowerBound..<end.upperBound].split(whereSeparator: \.isNewline)
            .contains { $0.first?.isWhitespace == true }
        let before = content[..<begin.lowerBound].last
        if isIndented || before.map({ !$0.isNewline }) ?? false {
            return "has lines that do not begin at the margin: remove what stands before them"
        }
        return nil
    }

    /// A text without `-----BEGIN`.
    private static func foreign(_ text: String, _ kind: Kind) -> String {
        if text.hasPrefix("pkcs11:") {
            return
                "is the URI of a key in a PKCS#11 token, which only token-exchange signer uses: write signer: process if it "
                + "is the key of firebase.service_account, and otherwise a \(kind.name) in PEM"
        }
        if text.hasPrefix("/") || text.hasPrefix("file:") {
            return "is the name of a file and not a \(kind.name) in PEM: name that file in its place"
        }
        if text.hasPrefix("ssh-") { return "is a public key of OpenSSH, and must be a \(kind.name) in PEM" }
        let isBase64 =
            text.utf8.count >= 100
            && text.utf8.allSatisfy { octet in
                switch octet {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                default: "+/=\r\n".utf8.contains(octet)
                }
            }
        if isBase64 {
            return
                "is base64 without a line -----BEGIN ...-----: copy the whole file, with its first and its last line; if it begins "
                + "with LS0t, the file was encoded as a whole: decode it (base64 -d)"
        }
        return "is not a \(kind.name) in PEM, because it has no line -----BEGIN ...-----: name the right file"
    }

    /// A block with another label than that of the kind.
    private static func other(_ label: String, _ kind: Kind) -> String? {
        switch (kind, label) {
        case (.certificate, "CERTIFICATE"), (.certificate, "X509 CERTIFICATE"), (.certificate, "TRUSTED CERTIFICATE"),
            (.privateKey, "PRIVATE KEY"), (.privateKey, "RSA PRIVATE KEY"), (.privateKey, "EC PRIVATE KEY"),
            (.privateKey, "EC PARAMETERS"):
            nil
        case (.privateKey, "ENCRYPTED PRIVATE KEY"): encrypted
        case (.privateKey, "OPENSSH PRIVATE KEY"):
            "is a key in the form of OpenSSH: write it in PEM (ssh-keygen -p -m PEM -f FILE)"
        case (.certificate, "PKCS7"), (.certificate, "CMS"):
            "is a list of certificates in the form of PKCS#7: write it in PEM (openssl pkcs7 -print_certs -in FILE)"
        default:
            label.hasSuffix("PRIVATE KEY")
                ? "is a private key, and must be a \(kind.name): name the right file"
                : "is a block with the label \(known(label)), and must be a \(kind.name): name the right file"
        }
    }

    private static let encrypted =
        "is encrypted, and the server cannot ask for a passphrase: decrypt it with openssl pkey -in FILE -out NEWFILE"

    /// Returns a label of RFC 7468 or of OpenSSL as it is; another text could be anything, and is not shown.
    private static func known(_ label: String) -> String {
        let labels = [
            "CERTIFICATE", "CERTIFICATE REQUEST", "NEW CERTIFICATE REQUEST", "X509 CRL", "PKCS7", "CMS", "PUBLIC KEY",
            "RSA PUBLIC KEY", "DH PARAMETERS", "EC PARAMETERS", "PGP PRIVATE KEY BLOCK", "PGP PUBLIC KEY BLOCK",
        ]
        return labels.contains(label) ? label : "of another kind"
    }
}

extension String {
    fileprivate var trimmed: Substring {
        let start = drop(while: \.isWhitespace)
        return start.lastIndex { !$0.isWhitespace }.map { start[...$0] } ?? ""
    }
}
