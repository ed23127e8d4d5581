internal import Glibc

/// The terminal at which an operator answers questions of this process.
package enum Terminal {
    /// Whether standard input and standard error are a terminal.
    package static var isThere: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks for one line.
    ///
    /// - Parameters:
    ///   - prompt: The text before the answer. It goes to standard error.
    ///   - isHidden: Whether the terminal shows nothing of the answer.
    /// - Returns: The answer without its line break; `nil` at the end of the input, or if a hidden answer would be shown.
    package static func ask(_ prompt: String, isHidden: Bool) -> String? {
        guard isHidden else { return answer(to: prompt) }
        var shown = termios()
        guard unsafe tcgetattr(STDIN_FILENO, &shown) == 0 else { return nil }
        var hidden = shown
        // A signal would end the process while the terminal shows nothing. Control-C therefore ends the line instead.
        hidden.c_lflag = hidden.c_lflag & ~tcflag_t(ECHO | ISIG) | tcflag_t(ECHONL)
        unsafe withUnsafeMutableBytes(of: &hidden.c_cc) { unsafe $0[Int(VEOL)] = endOfText }
        guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else { return nil }
        let answer = answer(to: prompt)
        unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown)
        guard answer?.utf8.last != endOfText else {
            interrupt()
            return nil
        }
        return answer
    }

    /// Ends the process as Control-C does.
    private static func interrupt() {
        // The threads that run tasks block every signal.
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGINT)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(SIGINT)
    }

    /// The character of Control-C.
    private static let endOfText: UInt8 = 3

    private static func answer(to prompt: String) -> String? {
        let text = Array(prompt.utf8)
        unsafe write(STDERR_FILENO, text, text.count)
        // A terminal returns one line for each call.
        var line = [UInt8](repeating: 0, count: 4096)
        var count = 0
        repeat { count = unsafe read(STDIN_FILENO, &line, line.count) } while count < 0 && errno == EINTR
        guard count > 0 else { return nil }
        let content = line.prefix(count)
        return String(decoding: content.last == UInt8(ascii: "\n") ? content.dropLast() : content, as: UTF8.self)
    }
}
