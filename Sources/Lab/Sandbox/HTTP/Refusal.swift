/// The answer that ends the handling of a request early.
struct Refusal: Error {
    let answer: Answer

    init(_ answer: Answer) {
        self.answer = answer
    }
}
