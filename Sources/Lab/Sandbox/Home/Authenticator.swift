import OpenSSL

/// An authenticator application (RFC 6238): SHA-1, six digits, steps of 30 seconds.
struct SandboxAuthenticator: Sendable {
    static let period: Int64 = 30

    private let secret: [UInt8]

    /// - Parameter text: The secret in base32 without padding (RFC 4648 §6). The result is `nil` for any other text.
    init?(_ text: String) {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
        var (buffer, bits, bytes) = (0, 0, [UInt8]())
        for character in text.utf8 {
            guard let value = alphabet.firstIndex(of: character) else { return nil }
            buffer = (buffer << 5 | value) & 0xFFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 255))
            }
        }
        secret = bytes
    }

    /// The seconds for which the code of a time stays the same.
    static func timeLeft(at time: Int64) -> String {
        let seconds = period - time % period
        return seconds == 1 ? "1 second" : "\(seconds) seconds"
    }

    func nextCode(at time: Int64) -> String { code(at: time + Self.period) }

    /// Returns the code of a time in seconds (RFC 4226 §5.3).
    func code(at time: Int64) -> String {
        let step = time / Self.period
        let counter = (0..<8).map { UInt8(truncatingIfNeeded: step >> (56 - 8 * Int64($0))) }
        let digest = HMACSHA1.authenticationCode(for: counter, key: secret)
        let offset = Int(digest[19] & 15)
        let number = digest[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

/// The panel with the codes of the authenticator application of a run’s user.
struct AuthenticatorView {
    private let url: String
    private let authenticator: SandboxAuthenticator
    private let now: Int64
    private let run: Run

    /// Returns `nil` unless the run waits for a sign-in with a code.
    init?(run: Run, authenticator: SandboxAuthenticator?, now: Int64) {
        guard run.scenario == .secondFactor, case .awaitingCode = run.stage, let authenticator,
            let step = run.steps.last(where: { $0.kind == .authorize })
        else { return nil }
        url = step.request.url
        self.authenticator = authenticator
        self.now = now
        self.run = run
    }

    var html: String {
        """
        <section class="panel" aria-labelledby="head">
        <h2 id="head">Erin’s account has a second factor now</h2>
        <p class="code"><code id="code">\(authenticator.code(at: now))</code></p>
        <p>Erin’s authenticator application shows this code for \(SandboxAuthenticator.timeLeft(at: now)), and \
        then <code>\(authenticator.nextCode(at: now))</code>. The server accepts a code for half a minute longer. \
        <a href="/runs/\(run.id)">Show the present code.</a></p>
        <ol>
        <li><a class="button primary" id="open" href="\(Page.escape(url))" target="_blank" rel="noopener">Sign in as \
        Erin</a> (opens in a new tab). She is selected at Yahoo.</li>
        <li>The server asks for the code before it promises anything to the application. Type a wrong one first.</li>
        <li>The custom token then has the claim <code>second_factor</code>.</li>
        </ol>
        </section>
        """
    }
}
