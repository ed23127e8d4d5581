internal import DequeModule

/// What waits to be written, up to a number; beyond it the newest is lost.
struct BoundedQueue<Element> {
    private let capacity: Int
    private var waiting: Deque<Element> = []
    private var lost = 0

    init(capacity: Int) {
        self.capacity = capacity
    }

    /// Keeps an element if there is room; the last half of it is not for those of little value, which may come in
    /// floods.
    mutating func put(_ element: Element, ofLittleValue: Bool = false) {
        guard waiting.count < (ofLittleValue ? capacity / 2 : capacity) else {
            lost += 1
            return
        }
        waiting.append(element)
    }

    /// The oldest.
    mutating func take(atMost limit: Int) -> [Element] {
        let elements = Array(waiting.prefix(limit))
        waiting.removeFirst(elements.count)
        return elements
    }

    /// For the next attempt.
    mutating func putBack(_ elements: [Element]) {
        waiting.prepend(contentsOf: elements)
    }

    /// How many there was no room for since this was asked last.
    mutating func takeLost() -> Int {
        defer { lost = 0 }
        return lost
    }
}
