import Standards
import Testing
import Transport

@Suite("Cookies of browser flows", .serialized, .timeLimit(.minutes(5)))
struct CookieTests {
    @Test("ST-15: one browser keeps eight flows, and the oldest makes room for the next")
    func capacity() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            var callbacks: [String] = []
            for _ in 0..<8 { callbacks.append(try await browser.callback()) }
            #expect(browser.cookies.count == 8)
            let oldest = browser.cookies[0].name
            let response = try await browser.get(BrowserRequest.path())
            #expect(response.setCookies.count == 2)
            #expect(response.setCookies.first { $0.name == oldest }?.isGone == true)
            #expect(response.setCookies.map(\.value.utf8.count).reduce(0, +) < 4096)
            #expect(browser.cookies.count == 8)
            try expectProblem(try await browser.get(callbacks[0]), "This sign-in has ended")
            #expect(try await browser.get(callbacks[1]).status == 303)
            #expect(browser.cookies.count == 7)
        }
    }

    @Test("ST-15: a browser that brings two hundred flows is freed of all but eight")
    func overfull() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            browser.cookies = (0..<200).map { ("__Host-flow-\($0)", "v") } + [("__Host-other", "kept")]
            _ = try await browser.get(BrowserRequest.path())
            #expect(browser.cookies.filter { $0.name.hasPrefix("__Host-flow-") }.count == 8)
            #expect(browser.cookies.contains { $0.name == "__Host-other" })
        }
    }

    @Test("ST-15: large flows make room earlier: the field of all flows has fewer than 7000 octets", arguments: [0, 1])
    func octets(excess: Int) async throws {
        try await TestServer.open { server in
            var first = TestBrowser(server)
            _ = try await first.get(BrowserRequest.path())
            // Two flows that fill the field together with the next one, whose cookie is as long as that of `first`.
            let room = 6999 - (first.line + 2) + excess
            let names = (0..<2).map { "__Host-flow-\($0)" }
            var browser = TestBrowser(server)
            browser.cookies = zip(names, [room / 2, room - room / 2]).map { name, length in
                (name, String(repeating: "v", count: length - name.utf8.count - 3))
            }
            let response = try await browser.get(BrowserRequest.path())
            #expect(response.setCookies.filter(\.isGone).map(\.name) == Array(names.prefix(excess)))
            #expect(browser.cookies.count == 3 - excess)
            #expect(browser.line < 7000)
        }
    }

    @Test("ST-15: a proxy accepts the field of a browser that begins any number of the largest flows")
    func anyNumber() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            _ = try await browser.get("/device")
            for length in [1024, 0, 600, 1024, 1024, 100, 1024, 0, 0, 1024, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] {
                let state = String(repeating: "s", count: length)
                #expect(try await browser.get(BrowserRequest.path(["state": state])).status == 303)
                #expect(browser.line < 7000)
            }
            // The last flow is always kept.
            let callback = try await browser.callback(["state": String(repeating: "s", count: 1024)])
            #expect(try await browser.get(callback).told["code"] != nil)
        }
    }

    @Test("RX-11: a browser whose cookies are too many to be read is freed of its flows")
    func tooLarge() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            browser.cookies =
                (0..<6).map { ("__Host-flow-\($0)", String(repeating: "v", count: 3000)) } + [("__Host-other", "kept")]
            let response = try await browser.get(BrowserRequest.path())
            try expectProblem(response, "This page cannot be opened like this", status: 431)
            #expect(response.text.contains("delete the cookies of this website in this browser"))
            #expect(browser.cookies.map(\.name) == ["__Host-other"])
            #expect(try await browser.get(BrowserRequest.path()).status == 303)
        }
    }

    @Test("On https only cookies with the prefix are accepted, which no other host can have set")
    func prefix() async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server)
            let callback = try await browser.callback()
            let whole = browser.cookies[0]
            for name in [
                String(whole.name.dropFirst("__Host-".count)), whole.name.lowercased(), "__Secure-" + whole.name,
            ] {
                browser.cookies = [(name, whole.value)]
                try expectProblem(try await browser.get(callback), "This sign-in has ended")
            }
            browser.cookies = [whole]
            #expect(try await browser.get(callback).status == 303)
        }
    }

    @Test(
        "A Cookie field of any form is read, or passed over",
        arguments: ["a=b; =c", ";", "; ;", "flow-", "__Host-flow-", "__Host-flow-x", "a", "a=b=c;;d", "%", "\""])
    func form(field: String) async throws {
        try await TestServer.open { server in
            var browser = TestBrowser(server, header: [HeaderField("Cookie", field)])
            let response = try await browser.get(BrowserRequest.path())
            #expect(response.status == 303)
        }
    }

    @Test("A cookie that consists of an equals sign is ignored", arguments: ["=", "==", "a=b;=", "a=b; =; c=d"])
    func nameless(field: String) async throws {
        try await TestServer.open { server in
            for path in [BrowserRequest.path(), "/device", "/callback/yahoo.com?state=x"] {
                let response = try await server.get(path, header: [HeaderField("Cookie", field)])
                #expect(response.status < 500)
            }
        }
    }
}

extension TestBrowser {
    /// The octets of the field `Cookie` of the browser's flows.
    fileprivate var line: Int {
        cookies.filter { $0.name.hasPrefix("__Host-flow-") }.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
            .utf8.count
    }
}
