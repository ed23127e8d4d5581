/// An answer, and how its bytes go out.
struct Delivery: Sendable {
    enum Manner: Sendable, Equatable {
        case whole
        /// The connection ends after that many bytes of the body, whose full length was declared.
        case cut(afterBytes: Int)
        /// One byte of the body at a time.
        case dripping(everyMilliseconds: Int64)
        /// The connection ends without a byte.
        case dropped
    }

    let answer: Answer
    let manner: Manner

    init(_ answer: Answer, _ manner: Manner = .whole) {
        self.answer = answer
        self.manner = manner
    }
}
