import Settings
import Testing

@Suite("What is wrong with a text that should be PEM")
struct PEMTextTests {
    private static let body =
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n-----END PRIVATE KEY-----"
    private static let escaped = body.replacing("\n", with: #"\n"#)
    private static let json =
        "is JSON and not a private key in PEM: name the right file, or write only the value of its member there"

    @Test("A text whose form is right has no damage", arguments: ["", "\n"])
    func whole(end: String) {
        for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY"] {
            let text = Self.body.replacing("PRIVATE KEY", with: label) + end
            #expect(PEMText.damage(of: text, as: .privateKey) == nil, "\(label)")
        }
        let text = "subject=CN = a\n" + Self.body.replacing("PRIVATE KEY", with: "CERTIFICATE") + end
        #expect(PEMText.damage(of: text, as: .certificate) == nil)
        #expect(PEMText.damage(of: Self.body.replacing("\n", with: "\r\n"), as: .privateKey) == nil)
    }

    @Test(
        "Each damage of a private key is named with the way out",
        arguments: [
            ("", "is empty: write the private key in PEM there"),
            (" \n", "is empty: write the private key in PEM there"),
            ("\u{FEFF}" + body, "begins with a byte order mark: save it as UTF-8 without one"),
            (
                escaped,
                #"has the two characters \n instead of line breaks: write a line break for each. In JSON one backslash "#
                    + #"before the n is a line break, and two are not"#
            ),
            ("\"\(body)\"", "is in quotation marks: remove them"),
            ("'\(body)'\n", "is in quotation marks: remove them"),
            (
                String(body.dropLast(30)),
                "has no line -----END PRIVATE KEY-----: copy the whole file again"
            ),
            (
                "-----BEGIN PRIVATE KEY-----",
                #"has only its first line: copy the whole file. For a key in a variable, write file:/path, or the two characters "#
                    + #"\n for each line break"#
            ),
            (body.replacing("\n", with: " "), "has no line breaks: write the lines of the file as lines"),
            (
                body.replacing("\n", with: "\n  "),
                "has lines that do not begin at the margin: remove what stands before them"
            ),
            (
                String(repeating: "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcw\n", count: 3),
                "is base64 without a line -----BEGIN ...-----: copy the whole file, with its first and its last line; if it begins "
                    + "with LS0t, the file was encoded as a whole: decode it (base64 -d)"
            ),
            (#"{"private_key": "x"}"#, json), (#"{"private_key": ""# + escaped + #""}"#, json),
            (
                "/run/secrets/key.pem",
                "is the name of a file and not a private key in PEM: name that file in its place"
            ),
            ("ssh-rsa AAAA person@host", "is a public key of OpenSSH, and must be a private key in PEM"),
            (
                "pkcs11:token=a;object=b",
                "is the URI of a key in a PKCS#11 token, which only token-exchange signer uses: write signer: process if it is the "
                    + "key of firebase.service_account, and otherwise a private key in PEM"
            ),
            (
                "hello!",
                "is not a private key in PEM, because it has no line -----BEGIN ...-----: name the right file"
            ),
            (
                body.replacing("PRIVATE", with: "PUBLIC"),
                "is a block with the label PUBLIC KEY, and must be a private key: name the right file"
            ),
            (
                body.replacing("PRIVATE KEY", with: "CERTIFICATE"),
                "is a block with the label CERTIFICATE, and must be a private key: name the right file"
            ),
            (
                body.replacing("PRIVATE KEY", with: "hunter2"),
                "is a block with the label of another kind, and must be a private key: name the right file"
            ),
            (
                body.replacing("PRIVATE KEY", with: "ENCRYPTED PRIVATE KEY"),
                "is encrypted, and the server cannot ask for a passphrase: decrypt it with openssl pkey -in FILE -out NEWFILE"
            ),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMIIE\n"
                    + "-----END RSA PRIVATE KEY-----",
                "is encrypted, and the server cannot ask for a passphrase: decrypt it with openssl pkey -in FILE -out NEWFILE"
            ),
            (
                body.replacing("PRIVATE KEY", with: "OPENSSH PRIVATE KEY"),
                "is a key in the form of OpenSSH: write it in PEM (ssh-keygen -p -m PEM -f FILE)"
            ),
        ] as [(String, String)])
    func privateKey(text: String, sentence: String) {
        #expect(PEMText.damage(of: text, as: .privateKey) == sentence)
    }

    @Test("The certificates of PKCS#7 are named with the command that writes them in PEM")
    func certificates() {
        let text = Self.body.replacing("PRIVATE KEY", with: "PKCS7")
        #expect(
            PEMText.damage(of: text, as: .certificate)
                == "is a list of certificates in the form of PKCS#7: write it in PEM (openssl pkcs7 -print_certs -in FILE)"
        )
    }

    @Test("A private key in place of a certificate is named")
    func certificate() {
        #expect(
            PEMText.damage(of: Self.body, as: .certificate)
                == "is a private key, and must be a certificate: name the right file")
    }
}
