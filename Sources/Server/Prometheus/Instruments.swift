internal import CoreMetrics
internal import Synchronization

/// One series of a family.
protocol Instrument: AnyObject, Sendable {
    /// Returns the lines of the exposition format.
    func lines(_ name: String, _ labels: SeriesLabels) -> [String]
}

final class CounterInstrument: Instrument, CounterHandler, FloatingPointCounterHandler {
    private let value = Mutex<Double>(0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    /// Adds to the counter; a negative amount or no number is ignored, because a counter never falls.
    func increment(by amount: Double) {
        guard amount >= 0 else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func lines(_ name: String, _ labels: SeriesLabels) -> [String] {
        ["\(name)\(labels.braced()) \(SampleText.of(value.withLock { $0 }))"]
    }
}

final class GaugeInstrument: Instrument, MeterHandler, RecorderHandler {
    private let value = Mutex<Double>(0)

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { self.value.withLock { $0 = value } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }

    func lines(_ name: String, _ labels: SeriesLabels) -> [String] {
        ["\(name)\(labels.braced()) \(SampleText.of(value.withLock { $0 }))"]
    }
}

/// Counts values in buckets; a timer records seconds.
final class HistogramInstrument: Instrument, RecorderHandler, TimerHandler {
    private struct State {
        /// The number of values in each bucket, not cumulated; the last one has no upper bound.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(_ bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }
    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        // A bucket contains the values up to and including its bound (`le`).
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func lines(_ name: String, _ labels: SeriesLabels) -> [String] {
        let state = state.withLock { $0 }
        var total = 0
        var lines: [String] = []
        for (count, bound) in zip(state.counts, bounds.map(SampleText.of) + ["+Inf"]) {
            total += count
            lines.append("\(name)_bucket\(labels.braced("le=\"\(bound)\"")) \(total)")
        }
        lines.append("\(name)_sum\(labels.braced()) \(SampleText.of(state.sum))")
        lines.append("\(name)_count\(labels.braced()) \(total)")
        return lines
    }
}

/// Writes a number as the exposition format has it.
enum SampleText {
    /// Returns the shortest text that reads back as the same number, without a decimal point for whole numbers.
    static func of(_ value: Double) -> String {
        if let whole = Int64(exactly: value) { return String(whole) }
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return "\(value)"
    }
}
