internal import Foundation
internal import TokenExchangeClient

/// Signs a user in from a terminal: shows a code, and a QR code for the phone, until the user has finished.
///
///     terminal-sign-in https://auth.example.com living-room-tv
///
/// With the name of a provider it opens the browser of the desktop instead.
///
///     terminal-sign-in https://auth.example.com my-app yahoo.com
///
/// The QR code is drawn by the program `qrencode`, if it is installed (Debian: `apt install qrencode`).
@main
struct TerminalSignIn {
    static func main() async {
        let arguments = CommandLine.arguments
        guard (3...4).contains(arguments.count), let server = URL(string: arguments[1]) else {
            complain("usage: terminal-sign-in SERVER CLIENT_ID [PROVIDER]")
            exit(64)
        }
        let client = TokenExchangeClient(server: server, clientID: arguments[2])
        do {
            if arguments.count == 4 {
                try report(try await client.signIn(with: Provider(arguments[3])))
            } else {
                try await signIn(client)
            }
        } catch {
            complain("Not signed in: \(error.localizedDescription)")
            exit(1)
        }
    }

    private static func signIn(_ client: TokenExchangeClient) async throws {
        for try await state in client.deviceSignIn() {
            switch state {
            case .code(let code):
                print("Open \(code.verificationURL) and enter \(code.userCode)")
                if let drawing = drawing(of: code.completeURL.absoluteString) {
                    print("or scan this code:\n\(drawing)")
                }
            case .waiting: break
            case .signedIn(let result): try report(result)
            }
            fflush(nil)
        }
    }

    /// The next step would be signInWithCustomToken of Firebase's REST interface.
    private static func report(_ result: SignInResult) throws {
        print("Signed in as \(result.uid). Custom token: \(try result.tokens.customToken)")
    }

    /// Returns the QR code of a text; `nil` if `qrencode` is missing or fails.
    private static func drawing(of text: String) -> String? {
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["qrencode", "--type=ANSIUTF8", "--level=L", "--", text]
        let output = Pipe()
        program.standardOutput = output
        program.standardError = FileHandle.nullDevice
        guard (try? program.run()) != nil else { return nil }
        let drawing = output.fileHandleForReading.readDataToEndOfFile()
        program.waitUntilExit()
        return program.terminationStatus == 0 ? String(decoding: drawing, as: UTF8.self) : nil
    }

    private static func complain(_ message: String) {
        FileHandle.standardError.write(Data((message + "\n").utf8))
    }
}
