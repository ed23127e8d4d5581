internal import Transport

/// What has come back of one attempt so far.
///
/// Its methods run inside libcurl's callbacks, on the engine's thread.
final class Reception {
    private static let maximumHeaderBytes = 64 * 1024

    private let maximumBodyBytes: Int
    private var headerBytes = 0
    /// Whether the empty line after the last header field was read.
    private(set) var headerIsComplete = false
    private var isInterim = false
    private(set) var header: [HeaderField] = []
    private(set) var body: [UInt8] = []
    /// Whether the peer sent more than we take.
    private(set) var isTooLarge = false
    /// Whether the request was about to leave.
    ///
    /// Whether a byte of it did is not known with HTTP/2, where a failed write may have been a part of one.
    private(set) var requestWasAnnounced = false
    /// Whether libcurl was kept from sending the request again.
    private(set) var secondRequestWasRefused = false

    init(maximumBodyBytes: Int) {
        self.maximumBodyBytes = maximumBodyBytes
    }

    var answerHasBegun: Bool { headerBytes > 0 }

    /// False to stop the transfer before its request is sent.
    ///
    /// libcurl sends a request again, with any method, when a connection that it used before dies without a byte of an
    /// answer. The peer may have acted on the first one, so there is no second (RFC 9110 §9.2.2).
    func announceRequest() -> Bool {
        guard !requestWasAnnounced else {
            secondRequestWasRefused = true
            return false
        }
        requestWasAnnounced = true
        return true
    }

    /// One line with its end, of this answer or of an interim one before it.
    ///
    /// False to stop the transfer.
    func take(headerLine line: UnsafeRawBufferPointer) -> Bool {
        headerBytes += line.count
        guard headerBytes <= Self.maximumHeaderBytes else {
            isTooLarge = true
            return false
        }
        guard !headerIsComplete else {
            // RFC 9110 §6.5.1: trailer fields are not merged into the header.
            return true
        }
        let bytes = unsafe [UInt8](line)
        let text = bytes.trimmed
        if text.isEmpty {
            headerIsComplete = !isInterim
        } else if text.starts(with: "HTTP/".utf8) {
            // A status line begins a message, and ends the interim ones before it (RFC 9110 §15.2).
            isInterim = text.drop { $0 != 0x20 }.dropFirst().first == UInt8(ascii: "1")
            header = []
        } else if bytes.first == 0x20 || bytes.first == 0x09 {
            continueField(with: String(decoding: text, as: UTF8.self))
        } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
            let value = text[colon...].dropFirst().trimmed
            header.append(
                HeaderField(String(decoding: text[..<colon], as: UTF8.self), String(decoding: value, as: UTF8.self)))
        }
        return true
    }

    /// False to stop the transfer.
    func take(body part: UnsafeRawBufferPointer) -> Bool {
        guard part.count <= maximumBodyBytes - body.count else {
            isTooLarge = true
            return false
        }
        unsafe body.append(contentsOf: part)
        return true
    }

    /// RFC 9112 §5.2: "replace each received obs-fold with one or more SP octets".
    private func continueField(with text: String) {
        guard let last = header.popLast() else { return }
        header.append(HeaderField(last.name, "\(last.value) \(text)"))
    }
}

extension Collection<UInt8> where Self: BidirectionalCollection, SubSequence == ArraySlice<UInt8> {
    /// Without the white space of RFC 9110 §5.6.3 and the line's end around it.
    fileprivate var trimmed: ArraySlice<UInt8> {
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D || $0 == 0x0A }
        guard let last = lastIndex(where: { !isBlank($0) }) else { return [] }
        return self[...last].drop(while: isBlank)
    }
}
