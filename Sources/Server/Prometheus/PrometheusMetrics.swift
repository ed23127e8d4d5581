package import CoreMetrics
internal import Synchronization

/// A backend of swift-metrics whose values are read as text in the exposition format of Prometheus, version 0.0.4.
///
/// Every family is declared when the backend is made, so that no caller can create one whose name or help text a scraper
/// would refuse. Instruments of one family and the same labels share one series.
package final class PrometheusMetrics: MetricsFactory {
    private let families: [String: MetricFamily]
    private let names: [String]
    private let series = Mutex<[String: [SeriesLabels: any Instrument]]>([:])

    /// Creates the backend without any series.
    ///
    /// - Parameter families: The families in the order of the text. If two have one name, the first is used.
    package init(_ families: [MetricFamily]) {
        self.families = Dictionary(families.map { ($0.name, $0) }) { first, _ in first }
        names = families.map(\.name)
    }

    /// Returns all series in the exposition format, ordered by family and then by labels.
    ///
    /// A family without series has its help and type only, so that a monitoring system knows it before its first event.
    ///
    /// - Parameter samples: Values that were read only now. They are part of this text only, so that a value whose labels
    ///   have disappeared does not stay.
    /// - Returns: The text, which ends with a line feed.
    package func text(with samples: [MetricSample] = []) -> String {
        let series = series.withLock { $0 }
        let samples = Dictionary(grouping: samples, by: \.family)
        var lines: [String] = []
        for family in names.compactMap({ families[$0] }) {
            lines.append("# HELP \(family.name) \(family.help)")
            lines.append("# TYPE \(family.name) \(family.kind.typeName)")
            let sorted = (series[family.name] ?? [:]).sorted { $0.key.text < $1.key.text }
            for (labels, instrument) in sorted { lines += instrument.lines(family.name, labels) }
            lines += (samples[family.name] ?? []).map(\.line).sorted()
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the series of the family with these labels, or makes it.
    ///
    /// A family that was not declared, or was declared as another kind, has an instrument that is not exposed: its values
    /// are lost, and the server continues.
    private func instrument<Made: Instrument>(
        _ name: String, _ dimensions: [(String, String)], _ make: (MetricFamily.Kind) -> Made?, otherwise: () -> Made
    ) -> Made {
        let labels = SeriesLabels(dimensions)
        return series.withLock { series in
            if let known = series[name]?[labels] as? Made { return known }
            guard let family = families[name], series[name]?[labels] == nil, let made = make(family.kind) else {
                assertionFailure("\(name) is not declared as this kind of metric")
                return otherwise()
            }
            series[name, default: [:]][labels] = made
            return made
        }
    }

    private func remove(_ handler: AnyObject) {
        series.withLock { series in
            for (name, all) in series { series[name] = all.filter { $0.value !== handler } }
        }
    }
}

extension PrometheusMetrics {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        counter(label, dimensions)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        counter(label, dimensions)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        gauge(label, dimensions)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        aggregate ? histogram(label, dimensions) : gauge(label, dimensions)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions)
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }

    private func counter(_ name: String, _ dimensions: [(String, String)]) -> CounterInstrument {
        instrument(name, dimensions, { $0 == .counter ? CounterInstrument() : nil }, otherwise: CounterInstrument.init)
    }

    private func gauge(_ name: String, _ dimensions: [(String, String)]) -> GaugeInstrument {
        instrument(name, dimensions, { $0 == .gauge ? GaugeInstrument() : nil }, otherwise: GaugeInstrument.init)
    }

    private func histogram(_ name: String, _ dimensions: [(String, String)]) -> HistogramInstrument {
        instrument(
            name, dimensions,
            { kind in if case .histogram(let bounds) = kind { HistogramInstrument(bounds) } else { nil } },
            otherwise: { HistogramInstrument([]) })
    }
}

/// A name with a help text and a type, to which all series of that name belong.
package struct MetricFamily: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case counter
        case gauge
        /// The upper bounds of the buckets, ascending and without infinity, in the unit of the name.
        case histogram([Double])

        var typeName: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    /// The name: ASCII letters, digits and underscores, with the unit, and for counters with `_total`.
    package let name: String
    package let kind: Kind
    /// One line of plain text.
    package let help: String

    package init(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}

/// The value of a gauge, or the total of a counter, at the time of a text.
package struct MetricSample: Sendable {
    let family: String
    let line: String

    /// Creates a value.
    ///
    /// - Parameters:
    ///   - family: The name of a declared gauge or counter; a value of another family is not written.
    ///   - value: The value of the gauge, or the total of the counter since the start of the process.
    ///   - labels: The labels, from fixed lists.
    package init(_ family: String, _ value: Double, _ labels: [(String, String)] = []) {
        self.family = family
        line = "\(family)\(SeriesLabels(labels).braced()) \(SampleText.of(value))"
    }
}

/// The labels of a series, in the order in which the caller named them.
struct SeriesLabels: Hashable {
    /// The pairs as the exposition format writes them, without braces: `a="1",b="2"`.
    let text: String

    init(_ dimensions: [(String, String)]) {
        var text = ""
        text.reserveCapacity(96)
        for (name, value) in dimensions {
            if !text.isEmpty { text += "," }
            text += name
            text += "=\""
            text += Self.escaped(value)
            text += "\""
        }
        self.text = text
    }

    /// Writes the labels, and one more, as they follow a name.
    func braced(_ last: String? = nil) -> String {
        let parts = [text.isEmpty ? nil : text, last].compactMap(\.self)
        return parts.isEmpty ? "" : "{\(parts.joined(separator: ","))}"
    }

    /// Escapes the three characters that the format requires.
    private static func escaped(_ value: String) -> String {
        guard value.utf8.contains(where: { $0 == 0x5C || $0 == 0x22 || $0 == 0x0A }) else { return value }
        return value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}
