import Server
import Testing

@Suite("Times in logs and audit")
struct TimestampTests {
    @Test(
        "A time is RFC 3339 in UTC with milliseconds, before 1970 as well",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (1_700_000_000_007, "2023-11-14T22:13:20.007Z"),
            (1_700_000_000_120, "2023-11-14T22:13:20.120Z"), (1_709_210_096_999, "2024-02-29T12:34:56.999Z"),
            (-1, "1969-12-31T23:59:59.999Z"), (-1_000, "1969-12-31T23:59:59.000Z"),
        ] as [(Int64, String)])
    func text(milliseconds: Int64, text: String) {
        #expect("\(Timestamp(milliseconds: milliseconds))" == text)
    }
}
