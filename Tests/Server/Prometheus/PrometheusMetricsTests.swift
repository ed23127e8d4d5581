import CoreMetrics
import Testing

@testable import Server

@Suite("Metrics in the exposition format of Prometheus")
struct PrometheusMetricsTests {
    private let metrics = PrometheusMetrics([
        MetricFamily("calls_total", .counter, "Calls."),
        MetricFamily("waiting", .gauge, "Calls that wait."),
        MetricFamily("call_seconds", .histogram([0.1, 1]), "Time of calls."),
    ])

    private var lines: [String] { metrics.text().split(separator: "\n").map(String.init) }

    @Test("A family without series has help and type, in the order of the declaration")
    func declared() {
        #expect(
            lines == [
                "# HELP calls_total Calls.", "# TYPE calls_total counter",
                "# HELP waiting Calls that wait.", "# TYPE waiting gauge",
                "# HELP call_seconds Time of calls.", "# TYPE call_seconds histogram",
            ])
        #expect(metrics.text().hasSuffix("histogram\n"))
    }

    @Test("Counters with the same labels share one series, which never falls")
    func counters() {
        Counter(label: "calls_total", dimensions: [("peer", "a"), ("outcome", "200")], factory: metrics).increment(
            by: 2)
        Counter(label: "calls_total", dimensions: [("peer", "a"), ("outcome", "200")], factory: metrics).increment()
        Counter(label: "calls_total", dimensions: [("peer", "a"), ("outcome", "503")], factory: metrics).increment()
        let falling = FloatingPointCounter(
            label: "calls_total", dimensions: [("peer", "a"), ("outcome", "503")], factory: metrics)
        falling.increment(by: -7.5)
        falling.increment(by: 0.5)
        #expect(lines.contains(#"calls_total{peer="a",outcome="200"} 3"#))
        #expect(lines.contains(#"calls_total{peer="a",outcome="503"} 1.5"#))
    }

    @Test("A gauge has the value that was set last")
    func gauges() {
        let meter = Meter(label: "waiting", factory: metrics)
        meter.set(7)
        meter.decrement()
        #expect(lines.contains("waiting 6"))
        Gauge(label: "waiting", factory: metrics).record(2.25)
        #expect(lines.contains("waiting 2.25"))
    }

    @Test("A histogram counts each value in every bucket whose bound it does not exceed")
    func histograms() {
        let timer = Timer(label: "call_seconds", dimensions: [("peer", "a")], factory: metrics)
        timer.recordMilliseconds(50)
        timer.recordMilliseconds(100)
        timer.recordMilliseconds(101)
        timer.recordSeconds(2)
        #expect(
            lines.suffix(5) == [
                #"call_seconds_bucket{peer="a",le="0.1"} 2"#, #"call_seconds_bucket{peer="a",le="1"} 3"#,
                #"call_seconds_bucket{peer="a",le="+Inf"} 4"#, #"call_seconds_sum{peer="a"} 2.251"#,
                #"call_seconds_count{peer="a"} 4"#,
            ])
    }

    @Test("A value that was read for one text stands beside the series of its family, and is not in the next text")
    func samples() {
        Meter(label: "waiting", dimensions: [("queue", "b")], factory: metrics).set(1)
        let text = metrics.text(with: [
            MetricSample("waiting", 3, [("queue", "c")]), MetricSample("waiting", 2.5, [("queue", "a")]),
            MetricSample("unknown", 4),
        ])
        #expect(
            text.split(separator: "\n").filter { $0.hasPrefix("waiting") || $0.hasPrefix("unknown") } == [
                #"waiting{queue="b"} 1"#, #"waiting{queue="a"} 2.5"#, #"waiting{queue="c"} 3"#,
            ])
        #expect(lines.filter { $0.hasPrefix("waiting") } == [#"waiting{queue="b"} 1"#])
    }

    @Test("Backslash, quotation mark and line feed of a label are escaped")
    func escaping() {
        Counter(label: "calls_total", dimensions: [("peer", "a\\b\"c\nd")], factory: metrics).increment()
        #expect(lines.contains(#"calls_total{peer="a\\b\"c\nd"} 1"#))
    }

    @Test("A destroyed instrument is not exposed")
    func destroyed() {
        let counter = Counter(label: "calls_total", factory: metrics)
        counter.increment()
        #expect(lines.contains("calls_total 1"))
        counter.destroy()
        #expect(!lines.contains("calls_total 1"))
    }

    @Test(
        "Numbers are written as the format has them",
        arguments: [(3.0, "3"), (0.25, "0.25"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e300, "1e+300")])
    func numbers(value: Double, text: String) {
        #expect(SampleText.of(value) == text)
    }
}
