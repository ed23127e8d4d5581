import Foundation
import OperatingSystem
import Settings
import Support
import Testing

@Suite("Secrets")
struct SecretValueTests {
    private static let yahoo = "client_secret: env:YAHOO_SECRET"
    private static let key = "providers.yahoo.com.client_secret"
    private static let pem =
        "is in PEM (-----BEGIN), and must be a text of one line: name the right one. If it is Apple's key, write client_secret: "
        + "{apple: {key: …, key_id: …, team_id: …}}; if it is the key of token_endpoint_auth: private_key_jwt, write client_key"

    @Test(
        "A secret that is missing, empty or malformed is refused",
        arguments: [
            (
                "env:UNSET",
                "the variable UNSET is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
            ),
            ("\"env:\"", "write the name of a variable after env:"),
            ("env:EMPTY", "the variable EMPTY is empty: write the value there"),
            (
                "env:QUOTED",
                "the variable QUOTED is in quotation marks, which are not part of the value: remove them"
            ),
            (
                "env:BROKEN",
                "the variable BROKEN contains a line break within it: remove it"
            ),
            (
                "env:BLANK",
                "the variable BLANK contains a space at its end: remove it"
            ),
            (
                "env:INDENTED",
                "the variable INDENTED contains a space at its start: remove it"
            ),
            (
                "env:ESCAPED",
                #"the variable ESCAPED ends in the two characters \n: store it without them (printf '%s' instead of echo)"#
            ),
            ("env:APPLE_KEY", "the variable APPLE_KEY \(Self.pem)"), ("'{-----BEGIN PRIVATE KEY-----'", Self.pem),
            (#"'abcDEF123\n'"#, #"ends in the two characters \n: store it without them (printf '%s' instead of echo)"#),
            ("file:/keys/none", "the file /keys/none does not exist"),
            ("file:/keys/empty", "the file /keys/empty is empty: write the value there"),
            ("file:keys/x-consumer", "write an absolute path after file:, as in file:/path"),
            ("\"\"", "is empty: write a value, or leave out the key"),
            (
                "null",
                "is missing: write env:NAME or file:/path, for Apple client_secret.apple with key, key_id and team_id, or "
                    + "client_key with token_endpoint_auth: private_key_jwt, or token_endpoint_auth: none with pkce: S256"
            ),
        ])
    func missing(reference: String, message: String) throws {
        try Change(Self.yahoo, "client_secret: \(reference)", Self.key, message).expectRefusal()
    }

    @Test(
        "The name of a file in place of the secret is named, in a variable and here",
        arguments: [
            ("file:///run/secrets/oidc-secret", "file:/run/secrets/oidc-secret"),
            ("/run/secrets/oidc-secret", "file:/run/secrets/oidc-secret"), ("file:/etc/x", "file:/etc/x"),
            ("/var/Lib/Secret", "file:/var/Lib/Secret"),
        ])
    func fileName(text: String, reference: String) throws {
        try expectRefusal(
            of: text,
            "the variable YAHOO_SECRET contains the name of a file: write client_secret: \(reference) if that file has the "
                + "value"
        )
        guard text.hasPrefix("/") else { return }
        try Change(
            Self.yahoo, "client_secret: \(text)", Self.key, "is the name of a file: write \(reference)"
        ).expectRefusal()
    }

    @Test("So it is for a client id, which is no secret")
    func fileNameOfIdentifier() throws {
        try Change(
            "client_id: 1653800000", "client_id: /run/secrets/id", "providers.line.client_id",
            "is the name of a file: write file:/run/secrets/id"
        ).expectRefusal()
    }

    @Test("A reference in a variable is not followed, and not repeated", arguments: ["env:OTHER", "gcp-secret:OTHER"])
    func referenceInVariable(text: String) throws {
        try expectRefusal(
            of: text,
            "the variable YAHOO_SECRET contains a reference, which is not followed twice: write it as client_secret")
    }

    @Test(
        "A secret in base64 may begin with a slash",
        arguments: ["/8Zq3kL0v/run/x9A=", "/aunt/9Fq2kLm4", "/run", "files/a/b1"])
    func slash(text: String) {
        expectAccepted(text)
    }

    @Test(
        "A path in quotation marks is named wherever a path is read",
        arguments: [
            Change(
                "service_account: /keys/account.json", #"service_account: '"/keys/account.json"'"#,
                "firebase.service_account", "is in quotation marks, which are not part of the value: remove them"),
            Change(
                "service_account: /keys/account.json", "signer: iam\ngoogle_credentials: \"'/keys/federation.json'\"",
                "firebase.google_credentials", "is in quotation marks, which are not part of the value: remove them",
                offset: 1),
            Change(
                "service_account: /keys/account.json", "signer: process\nsigner_socket: '`/run/s`'",
                "firebase.signer_socket", "is in quotation marks, which are not part of the value: remove them",
                offset: 1),
            Change(
                yahoo, #"client_secret: 'file:"/keys/x-consumer"'"#, key,
                "is in quotation marks, which are not part of the value: remove them"),
        ])
    func quotedPath(change: Change) throws {
        try change.expectRefusal()
    }

    @Test("A path in quotation marks is named in the variable of the service account too")
    func quotedVariable() throws {
        var environment = Sample.environment
        environment["GOOGLE_APPLICATION_CREDENTIALS"] = #""/root/.google/sa.json""#
        let yaml = try Sample.changing("service_account: /keys/account.json", to: "").yaml
        let problem = #expect(throws: SettingsProblems.self) {
            try Sample.loader(environment: environment).parse(yaml: yaml)
        }
        #expect(
            problem?.problems.map(\.message) == [
                "the variable GOOGLE_APPLICATION_CREDENTIALS is in quotation marks, which are not part of the value: remove them"
            ])
    }

    @Test(
        "The reference of a platform that did not replace it is no secret, and is not repeated",
        arguments: [
            "@Microsoft.KeyVault(SecretUri=https://v.vault.azure.net/secrets/s/)", "ENC[AES256_GCM,data:qIVp,type:str]",
            "op://vault/item/field", "$(CLIENT_SECRET)", "vault:secret/data/app#client_secret",
            "arn:aws:secretsmanager:eu-west-1:123456789012:secret:s-AbCdEf", "$env:CLIENT_SECRET", "{$CLIENT_SECRET}",
            "{env.CLIENT_SECRET}", "$__file{/run/secrets/client}", "process.env.CLIENT_SECRET",
            "ref+vault://secret/app#key",
        ])
    func foreignReference(text: String) throws {
        let message =
            "is a reference that a platform or another program should have replaced by the value: correct it there, or write the "
            + "value itself"
        try expectRefusal(of: text, "the variable YAHOO_SECRET \(message)")
        try Change(Self.yahoo, "client_secret: '\(text)'", Self.key, message).expectRefusal()
    }

    @Test(
        "An object of JSON and invisible characters are no secret",
        arguments: [
            (#"{"client_secret":"abc","client_id":"x"}"#, "is a JSON object: write only the value of its member there"),
            ("abc\u{200B}DEF123", "contains the invisible character U+200B within it: remove it"),
            ("abc\u{AD}DEF123", "contains the invisible character U+00AD within it: remove it"),
            ("abcDEF123\u{A0}", "contains the invisible character U+00A0 at its end: remove it"),
            ("abcDEF123\r", "contains a line break at its end: remove it"),
            ("abcDEF123\n\n", "ends in more than one line break, of which one is left out: remove the others"),
            ("abcDEF123\r\n\r\n", "ends in more than one line break, of which one is left out: remove the others"),
        ])
    func otherThanSecret(text: String, message: String) throws {
        try expectRefusal(of: text, "the variable YAHOO_SECRET \(message)")
    }

    private static func environment(_ secret: String) -> [String: String] {
        Sample.environment.merging(["YAHOO_SECRET": secret]) { $1 }
    }

    private func expectRefusal(of text: String, _ message: String) throws {
        try Change(Self.yahoo, Self.yahoo, Self.key, message).expectRefusal(environment: Self.environment(text))
    }

    private func expectAccepted(_ text: String) {
        #expect(throws: Never.self) {
            try Sample.loader(environment: Self.environment(text)).parse(yaml: Sample.yaml)
        }
    }

    @Test(
        "A secret may contain what begins a reference",
        arguments: ["$(abcDEF123", "ENC[abcDEF123", "{abcDEF123}", "abc{\"a\":1}", "topic://x9Fq2kLm4"])
    func likeReference(text: String) {
        expectAccepted(text)
    }

    @Test("A text that looks like a secret instead of the name of a variable is not repeated")
    func secretAsName() throws {
        try Change(
            Self.yahoo, "client_secret: env:hunter2-secret", Self.key,
            "the variable named here is not set for this process (sudo, systemd and Docker pass none on): set it there, or write another value"
        )
        .expectRefusal()
    }

    @Test(
        "A reference in the form of a shell or of systemd is refused with the form to write",
        arguments: [
            ("env:$YAHOO_SECRET", name), ("env:${YAHOO_SECRET}", name), ("env: YAHOO_SECRET", name),
            ("env:'YAHOO_SECRET'", name), ("env://YAHOO_SECRET", name), ("env:YAHOO_SECRET:-none", name),
            ("ENV:YAHOO_SECRET", "begins with env: in another case: write env:"),
            ("File:/run/secrets/yahoo", "begins with file: in another case: write file:"),
            ("file:$CREDENTIALS_DIRECTORY/yahoo", expansion), ("file:%d/yahoo", expansion), ("file:~/yahoo", expansion),
        ])
    func shellReference(text: String, message: String) throws {
        try Change(Self.yahoo, "client_secret: \"\(text)\"", Self.key, message).expectRefusal()
    }

    private static let name =
        "write only the name of the variable after env:, which has letters, digits and underscores"
    private static let expansion =
        "write an absolute path after file:, as in file:/path; ~, variables such as $NAME, and %d are not replaced here"

    @Test(
        "A secret that begins with a dollar or percent sign, and is no variable, is accepted",
        arguments: ["$aB3dE5fG7hJ9", "%7Gh8Jk9Lm%", "$1A2B3C4D5E6F7"])
    func dollar(text: String) {
        expectAccepted(text)
    }

    private static let refusal =
        "is a placeholder, or cannot be told from one: write the real secret, env:NAME for that of a variable, or make another one"

    @Test(
        "A placeholder is refused (KY-09)",
        arguments: [
            "changeme", "[YOUR-PASSWORD]", "Change-Me", "change_me_please", "...", "dj0y...", "…", "your-secret",
            "YOUR_CLIENT_SECRET",
            "example",
            "secret", "password", "<secret>", "xxxxxxxx", "00000000", "todo", "${SECRET}", "$YAHOO_SECRET",
            "%YAHOO_SECRET%", "placeholder",
            "client_secret",
            // What programs print in place of a secret.
            "***", "********", "••••••••", "(sensitive value)", "[REDACTED]", "[secret elided]",
        ])
    func placeholder(text: String) throws {
        try expectRefusal(of: text, Self.refusal)
    }

    @Test(
        "A secret that only resembles a placeholder is accepted", arguments: ["example7f3a", "secretariat9", "mine-4f"])
    func noPlaceholder(text: String) {
        expectAccepted(text)
    }

    @Test("A plain-text secret is a warning")
    func clear() throws {
        let (yaml, line) = try Sample.changing(Self.yahoo, to: "client_secret: 5f4dcc3b5aa765d6")
        let settings = try Sample.loader().parse(yaml: yaml)
        #expect(
            settings.warnings == [
                SettingsProblem(
                    line: line, key: Self.key, message: "is in plain text: write env:NAME or file:/path")
            ])
        #expect(settings.providers.openIDConnect.first?.authentication.secret?.secretText == "5f4dcc3b5aa765d6")
    }

    @Test("A plain-text secret is refused in a file that others can read, unless allowed")
    func clearAndOpen() throws {
        let (yaml, line) = try Sample.changing(Self.yahoo, to: "client_secret: 5f4dcc3b5aa765d6")
        let fact =
            "is in plain text, and other users can read this file: run chmod 600 'this file', or write env:NAME or "
            + "file:/path"
        #expect(
            throws: SettingsProblems([
                SettingsProblem(
                    line: line, key: Self.key, message: fact + ", or start with --allow-insecure-permissions")
            ])
        ) { try Sample.loader().parse(yaml: yaml, exposure: .readable) }
        let insisting = Sample.loader(allowInsecurePermissions: true)
        #expect(
            try insisting.parse(yaml: yaml, exposure: .readable).warnings == [
                SettingsProblem(line: line, key: Self.key, message: fact)
            ])
    }

    @Test("A configuration without secrets may be read by others")
    func openWithoutSecrets() throws {
        #expect(try Sample.loader().parse(yaml: Sample.yaml, exposure: .readable).warnings.isEmpty)
    }

    @Test(
        "A file with a secret that others can read is refused, unless allowed (KY-01)",
        arguments: [
            (
                "consumer_secret: file:/keys/x-consumer", "consumer_secret: file:/open/x-consumer",
                "providers.twitter.com.oauth1.consumer_secret", "/open/x-consumer"
            ),
            (
                "service_account: /keys/account.json", "service_account: /open/account.json",
                "firebase.service_account",
                "/open/account.json"
            ),
        ])
    func openFile(old: String, new: String, key: String, path: String) throws {
        let fact = "the file \(path) can be read by its group and by all other users: run chmod 600 \(path)"
        try Change(old, new, key, fact + ", or start with --allow-insecure-permissions").expectRefusal()
        let (yaml, line) = try Sample.changing(old, to: new)
        #expect(
            try Sample.loader(allowInsecurePermissions: true).parse(yaml: yaml).warnings == [
                SettingsProblem(line: line, key: key, message: fact)
            ])
    }

    @Test("A folder that others can write gives one warning, at the first file in it")
    func openFolder() throws {
        let (yaml, line) = try Sample.changing(
            "service_account: /keys/account.json", to: "service_account: /shared/account.json")
        let both = yaml.replacing("file:/keys/x-consumer", with: "file:/shared/x-consumer")
        let warnings = try Sample.loader().parse(yaml: both).warnings
        #expect(warnings.map(\.line) == [line])
        #expect(warnings.first?.key == "firebase.service_account")
        #expect(warnings.first?.message == OpenFolders.warning(about: "/shared"))
    }

    @Test("A client id may be in a file that others can read")
    func openIdentifier() throws {
        let yaml = try Sample.changing("client_id: bmlnaHQ", to: "client_id: file:/open/x-consumer").yaml
        #expect(try Sample.loader().parse(yaml: yaml).providers.twitter?.oauth2?.clientID == Sample.consumerSecret)
    }

    @Test(
        "A seal key that is not 32 random bytes in base64 is refused, with the number that it has",
        arguments: [
            (String(Sample.sealKey.dropLast()), "is 42 characters that are not base64\(shape)"),
            (
                Sample.sealKey + "%",
                "is 44 characters that are not base64 (zsh shows % after an output without a line break)\(shape)"
            ),
            (Sample.sealKey + "A", "is 33 bytes\(shape)"),
            // Padding bits that are not zero.
            (String(Sample.sealKey.dropLast()) + "B", "is 43 characters that are not base64\(shape)"),
            ("b7rN2kX0mQ9vT4yZ8wL1sPcE5hJ6gFuD", "is 24 bytes\(shape)"),
            (
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                "is 32 bytes in hexadecimal\(shape)"
            ),
            ("AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "is an example key: create a random one"),
            ("qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqo", "is an example key: create a random one"),
            ("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", refusal),
        ])
    func sealKey(text: String, message: String) throws {
        var environment = Sample.environment
        environment["SEAL_KEY"] = text
        try Change("seal_keys: [env:SEAL_KEY]", "seal_keys: [env:SEAL_KEY]", "seal_keys[0]", message)
            .expectRefusal(environment: environment)
    }

    @Test(
        "The name of a file in the variable of a key leads to a list",
        arguments: [("SEAL_KEY", "seal_keys"), ("STORE_KEY", "store_keys")])
    func fileNameOfKey(variable: String, list: String) throws {
        var environment = Sample.environment
        environment[variable] = "/run/secrets/key"
        try Change(
            "\(list): [env:\(variable)]", "\(list): [env:\(variable)]", "\(list)[0]",
            "the variable \(variable) contains the name of a file: write \(list): [file:/run/secrets/key] if that file has "
                + "the value"
        ).expectRefusal(environment: environment)
    }

    @Test("Several references in one text are refused, with the list to write")
    func referencesInOneText() throws {
        for text in ["env:SEAL_KEY,env:OTHER", "env:SEAL_KEY, env:OTHER"] {
            try Change(
                "seal_keys: [env:SEAL_KEY]", "seal_keys: [\"\(text)\"]", "seal_keys[0]",
                "write one name of a variable after env:, as in [env:ONE, env:OTHER] if this is a list"
            ).expectRefusal()
        }
    }

    private static let shape =
        ", and must be 32 bytes in base64url (43 characters, or 44 with =), as token-exchange keys create and openssl rand "
        + "-base64 32 make them"

    @Test("A seal key may be ordinary base64 with padding, as openssl rand -base64 32 writes it")
    func sealKeyOfOpenSSL() throws {
        var environment = Sample.environment
        environment["SEAL_KEY"] = "+/7Yq3b1Zr0cJ5vKxW9mT2sHfL8gUeN4aPiR6oDyQkE=\n"
        let yaml = try Sample.changing("seal_keys: [env:SEAL_KEY]", to: "seal_keys: [env:SEAL_KEY]").yaml
        let key = try Sample.loader(environment: environment).parse(yaml: yaml).sealKeys
        environment["SEAL_KEY"] = "-_7Yq3b1Zr0cJ5vKxW9mT2sHfL8gUeN4aPiR6oDyQkE"
        #expect(try Sample.loader(environment: environment).parse(yaml: yaml).sealKeys == key)
        #expect(key.first?.secretBytes.prefix(3) == [0xFB, 0xFE, 0xD8])
    }

    @Test("A seal key that occurs twice is refused")
    func sealKeyTwice() throws {
        try Change(
            "seal_keys: [env:SEAL_KEY]", "seal_keys: [env:SEAL_KEY, env:SEAL_KEY]", "seal_keys[1]",
            "is in this list twice: keep one"
        ).expectRefusal()
    }

    @Test("A store key has the format of a seal key, and must not be one of the seal keys")
    func storeKey() throws {
        try Change(
            "store_keys: [env:STORE_KEY]", "store_keys: [env:SEAL_KEY]", "store_keys[0]",
            "is also in seal_keys: create another random key for the store"
        ).expectRefusal()
        var environment = Sample.environment
        environment["STORE_KEY"] = "short"
        try Change(
            "store_keys: [env:STORE_KEY]", "store_keys: [env:STORE_KEY]", "store_keys[0]",
            "is 5 characters that are not base64\(Self.shape)"
        )
        .expectRefusal(environment: environment)
        let settings = try Sample.loader().parse(yaml: Sample.yaml)
        #expect(settings.storeKeys.map(\.secretBytes.count) == [32])
        #expect(settings.storeKeys.first?.secretBytes != settings.sealKeys.first?.secretBytes)
    }

    @Test("No description of the settings contains a secret")
    func elision() throws {
        let settings = try Sample.loader().parse(yaml: Sample.yaml)
        var dumped = ""
        dump(settings, to: &dumped)
        dump(settings.providers, to: &dumped)
        let twitter = try #require(settings.providers.twitter)
        let texts = [
            "\(settings)", String(reflecting: settings), dumped,
            String(reflecting: settings.providers), "\(settings.firebase)", "\(twitter)",
            "\(settings.sealKeys)", String(reflecting: settings.sealKeys), "\(settings.storeKeys)",
        ]
        let secrets =
            [Sample.yahooSecret, Sample.consumerSecret, Sample.sealKey, "PRIVATE KEY", "159, 79, 177", "secretBytes"]
            + Sample.environment.values.filter { $0.count > 8 }
        for text in texts {
            for secret in secrets { #expect(!text.contains(secret)) }
        }
    }

    @Test(
        "No problem repeats a secret, whichever key it was written to",
        arguments: [
            "listen", "public_url", "trusted_proxies", "max_in_flight", "drain_timeout", "token_lifetime", "project_id",
            "seal_keys", "store", "idp", "provider_redirect_uris", "providers", "origins", "return_provider_tokens",
            "scopes",
            "allowed_parameters", "pkce", "accept", "nonce", "max_age", "trust_email", "issuer", "token", "flow",
            "oauth1",
            "request_email", "uid", "exchange_per_address", "level", "server", "clients", "logging",
        ])
    func noEcho(key: String) throws {
        let lines = Sample.yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let index = try #require(lines.firstIndex { $0.drop { $0 == " " }.hasPrefix(key + ":") })
        for value in ["hunter2 {} ", "[\"hunter2 {\"]", "https://u:hunter2@h/", "env:hunter2-", "{a: hunter2}"] {
            var changed = lines
            changed[index] = lines[index].prefix { $0 == " " } + "\(key): \"\(value)\""
            let plain = lines[index].prefix { $0 == " " } + "\(key): \(value)"
            for line in [changed[index], String(plain)] {
                changed[index] = line
                do {
                    _ = try Sample.loader().parse(yaml: changed.joined(separator: "\n"))
                } catch {
                    #expect(!error.description.contains("hunter2"))
                }
            }
        }
    }

    @Test("The summary has the sources of secrets in files and lists")
    func summary() throws {
        let summary = try Sample.loader().parse(yaml: Sample.yaml).summary
        for line in [
            "providers.twitter.com.oauth1.consumer_secret: [secret elided] from file:/keys/x-consumer",
            "seal_keys: [[secret elided] from env:SEAL_KEY]", "store_keys: [[secret elided] from env:STORE_KEY]",
        ] { #expect(summary.contains(line)) }
    }

    @Test("Secrets are equal if text and source are equal")
    func equality() throws {
        let first = try Sample.loader().parse(yaml: Sample.yaml)
        #expect(try first == Sample.loader().parse(yaml: Sample.yaml))
        let environment = Self.environment("b3f1c7a9yahop")
        #expect(try first != Sample.loader(environment: environment).parse(yaml: Sample.yaml))
    }
}
