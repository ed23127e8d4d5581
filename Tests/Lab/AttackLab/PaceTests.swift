import Testing

@testable import AttackLab

@Suite("The rate of requests to another operator's server")
struct PaceTests {
    @Test(
        "A 429 delays the next request by its Retry-After, at least a second and at most a minute",
        arguments: [("7", 7), ("0", 1), ("100000", 60), ("Sat, 21 Nov 2026 00:00:00 GMT", 1), (nil, 1)])
    func heeding(field: String?, seconds: Int) async {
        let pace = Pace(perSecond: 5, most: 10)
        let fields = field.map { [(name: "Retry-After", value: $0)] } ?? []
        let begun = ContinuousClock.now
        await pace.heed(Answer(status: 429, fields: fields, body: [], duration: .zero))
        let rest = begun.duration(to: await pace.next)
        #expect(rest >= .seconds(seconds))
        #expect(rest < .seconds(seconds + 30))
    }

    @Test("Other responses do not delay the next request")
    func others() async {
        let pace = Pace(perSecond: 5, most: 10)
        let next = await pace.next
        let fields = [(name: "Retry-After", value: "30")]
        await pace.heed(Answer(status: 503, fields: fields, body: [], duration: .zero))
        #expect(await pace.next == next)
    }
}
