import Sandbox
import Server
import Standards
import Testing
import Transport

@Suite("User codes that are typed", .serialized, .timeLimit(.minutes(5)))
struct DeviceGuessTests {
    private static let unknown = "This code does not work."
    private static let tooMany = "There were too many wrong codes."

    /// Expects the page with the code field and an error.
    private func expectAgain(
        _ response: OutboundResponse, _ sentence: String, status: Int, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(response.status == status, "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.heading == "Enter the code from your device", sourceLocation: sourceLocation)
        #expect(response.text.contains(sentence), "\(response.text)", sourceLocation: sourceLocation)
        #expect(response.hiddenFlow != nil, sourceLocation: sourceLocation)
        expectPage(response, sourceLocation: sourceLocation)
    }

    private static func plan(tries: Int, ofAll: Int = 1000) -> Plan {
        var plan = Plan.limits {
            $0.deviceCodeTries = tries
            $0.deviceCodeTriesOfAll = ofAll
        }
        plan.trustsLoopback = true
        return plan
    }

    private static func from(_ address: String) -> [HeaderField] { [HeaderField("X-Forwarded-For", address)] }

    @Test("DG-07: after five wrong codes an address has to wait, and the right one is not looked up either")
    func perAddress() async throws {
        try await TestServer.open(Self.plan(tries: 5)) { server in
            let device = try await server.beginDevice()
            var guesser = TestBrowser(server, header: Self.from("192.0.2.1"))
            for guess in ["BBBB-BBBB", "CCCC-CCCC", "DDDD-DDDD", "FFFF-FFFF", "GGGG-GGGG"] {
                expectAgain(try await guesser.enter(guess), Self.unknown, status: 400)
            }
            expectAgain(try await guesser.enter("HHHH-HHHH"), Self.tooMany, status: 429)
            expectAgain(try await guesser.enter(device.userCode), Self.tooMany, status: 429)
            #expect(server.log.text.contains(#""finding": limits.device_code_tries is used up"#), "\(server.log.text)")
            // A browser without cookies is at the same address.
            var another = TestBrowser(server, header: Self.from("192.0.2.1"))
            expectAgain(try await another.enter(device.userCode), Self.tooMany, status: 429)
            // RX-07: other users do not have to wait.
            var victim = TestBrowser(server, header: Self.from("192.0.2.2"))
            #expect(try await victim.enter(device.userCode).status == 200)
            server.clock.advance(by: .seconds(120))
            #expect(try await guesser.enter(device.userCode).status == 200)
        }
    }

    @Test("DG-07: a right code costs no guess, and restores none")
    func success() async throws {
        try await TestServer.open(Self.plan(tries: 2)) { server in
            let device = try await server.beginDevice()
            var browser = TestBrowser(server, header: Self.from("192.0.2.1"))
            expectAgain(try await browser.enter("BBBB-BBBB"), Self.unknown, status: 400)
            for _ in 0..<5 { #expect(try await browser.enter(device.userCode).status == 200) }
            expectAgain(try await browser.enter("BBBB-BBBB"), Self.unknown, status: 400)
            expectAgain(try await browser.enter(device.userCode), Self.tooMany, status: 429)
        }
    }

    @Test("DG-07: guesses of many addresses count together, and right codes do not")
    func ofAll() async throws {
        try await TestServer.open(Self.plan(tries: 100, ofAll: 3)) { server in
            let device = try await server.beginDevice()
            for number in 0..<10 {
                var browser = TestBrowser(server, header: Self.from("192.0.2.\(number)"))
                #expect(try await browser.enter(device.userCode).status == 200)
            }
            for number in 0..<3 {
                var guesser = TestBrowser(server, header: Self.from("198.51.100.\(number)"))
                expectAgain(try await guesser.enter("BBBB-BBBB"), Self.unknown, status: 400)
            }
            var next = TestBrowser(server, header: Self.from("198.51.100.9"))
            // A code that was not looked up does not count against the address.
            for _ in 0..<200 {
                expectAgain(try await next.enter("BBBB-BBBB"), Self.tooMany, status: 429)
            }
            let finding = "the limit of 3 wrong user codes of all addresses in ten minutes is used up"
            #expect(server.log.text.contains(#""finding": \#(finding)"#), "\(server.log.text)")
            server.clock.advance(by: .seconds(200))
            expectAgain(try await next.enter("BBBB-BBBB"), Self.unknown, status: 400)
        }
    }

    @Test("DG-07: guesses that come at once do not slip through together")
    func atOnce() async throws {
        try await TestServer.open(Self.plan(tries: 5)) { server in
            var browser = TestBrowser(server)
            let field = try await browser.get("/device").hiddenFlow ?? ""
            let statuses = try await withThrowingTaskGroup(of: Int.self) { [browser] group in
                for _ in 0..<30 {
                    group.addTask {
                        var copy = browser
                        return try await copy.post("/device", ["flow": field, "user_code": "BBBB-BBBB"]).status
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [400: 5, 429: 25])
        }
    }

    @Test("DG-08: a code is the same in small letters, and however it is divided")
    func spellings() async throws {
        try await TestServer.open { server in
            let device = try await server.beginDevice()
            let letters = device.userCode.filter { $0 != "-" }
            let apart = letters.map { String($0) }
            let (first, last) = (String(letters.prefix(4)), String(letters.suffix(4)))
            let spellings: [String] = [
                letters, letters.lowercased(), device.userCode.lowercased(), "  \(device.userCode)  ",
                apart.joined(separator: " "), apart.joined(separator: "-"), "\(first)_\(last)", "\(first).\(last)",
                first.lowercased() + last,
            ]
            for spelling in spellings {
                var browser = TestBrowser(server)
                let response = try await browser.enter(spelling)
                #expect(response.status == 200, "\(spelling)")
                #expect(response.text.contains(device.userCode))
            }
        }
    }

    @Test(
        "DG-08: a text that is not a code is refused, costs no guess, and is not shown as typed",
        arguments: [
            "<script>alert(1)</script>", "ＷＤＪＢＭＪＨＴ", "\"><svg onload=alert(1)>", String(repeating: "B", count: 10_000),
            "AEIO-UAEI", "BBBB-BBB", "BBBB-BBBBB", "1234-5678", "{{flow}}", "\u{202E}BBBBBBBB",
        ])
    func noCode(_ typed: String) async throws {
        try await TestServer.open(Self.plan(tries: 1)) { server in
            var browser = TestBrowser(server)
            let response = try await browser.enter(typed)
            expectAgain(response, Self.unknown, status: 400)
            #expect(
                !response.text.contains(typed)
                    || typed.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
            #expect(!response.text.contains("<svg onload"))
            expectAgain(try await browser.enter("BBBB-BBBB"), Self.unknown, status: 400)
        }
    }

    @Test("A form of another site does not count as a guess")
    func foreignForm() async throws {
        try await TestServer.open(Self.plan(tries: 1)) { server in
            var browser = TestBrowser(server)
            for _ in 0..<3 {
                try expectProblem(
                    try await browser.post("/device", ["flow": "made-up", "user_code": "BBBB-BBBB"]),
                    "This page cannot be used any more")
            }
            expectAgain(try await browser.enter("BBBB-BBBB"), Self.unknown, status: 400)
            let waiting = try await browser.enter("BBBB-BBBB")
            expectAgain(waiting, Self.tooMany, status: 429)
            #expect(waiting[field: "Retry-After"] == "600")
        }
    }

    @Test("An empty field is shown again, and costs no guess")
    func nothing() async throws {
        try await TestServer.open(Self.plan(tries: 1)) { server in
            var browser = TestBrowser(server)
            for _ in 0..<3 { expectAgain(try await browser.enter(""), "Type the code", status: 400) }
            expectAgain(try await browser.enter("BBBB-BBBB"), Self.unknown, status: 400)
        }
    }

    @Test("A code that was used, refused or has run out is as unknown as one that never was")
    func over() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let used = try await server.beginDevice()
            _ = try await browser.decide("approve", on: try await browser.verify(used.userCode))
            expectAgain(try await browser.enter(used.userCode), Self.unknown, status: 400)
            _ = try await used.poll()
            expectAgain(try await browser.enter(used.userCode), Self.unknown, status: 400)
            let refused = try await server.beginDevice()
            _ = try await browser.decide("deny", on: try await browser.enter(refused.userCode))
            expectAgain(try await browser.enter(refused.userCode), Self.unknown, status: 400)
        }
    }
}
