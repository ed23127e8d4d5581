internal import Jansson

extension Catalogue {
    static let soaks = Section(.exhaustion, .high, needs: [.processes, .standIns, .bulk]).attacks(
        .attack(
            "RX-14a", "Six hundred good and bad requests are mixed, some of them cut off.",
            oracle: "Descriptors are as many as before, and memory hardly more.", source: "soak"
        ) { strike in
            try await strike.onOwnServer("soaked") { there, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                try await there.soak(200)
                try await Task.sleep(for: .milliseconds(500))
                let files = try limits.openFiles
                let memory = try limits.memory
                try await there.soak(600)
                try await Task.sleep(for: .milliseconds(500))
                let openedFiles = try limits.openFiles - files
                let grown = try limits.memory - memory
                await strike.expect(openedFiles <= 10, .slow, "\(openedFiles) more descriptors are open than before.")
                await strike.expect(grown < 32 << 20, .slow, "The server grew by \(grown >> 20) MB.")
            }
        },
        .attack(
            "RX-14b", "Two hundred flows, codes and device grants are begun, and none is finished.",
            oracle: "The store grows by no more than what has to be remembered.", source: "soak",
            needs: [.processes, .standIns, .browserFlow, .bulk]
        ) { strike in
            try await strike.onOwnServer("begun") { there, server, _ in
                let before = try there.database(of: server).count
                let start = there.authorize(verifier: String(repeating: "v", count: 43), state: "s")
                let requests = (0..<200).map { $0 % 2 == 0 ? start : there.nonceRequest }
                let counts = await there.count(requests)
                await strike.expect(
                    counts["200"] == 100 && counts["303"] == 100, .wrongAnswer, "They were answered \(counts).")
                let grown = try there.database(of: server).count - before
                await strike.expect(grown < 1 << 18, .sideEffect, "The store grew by \(grown) bytes for nothing.")
            }
        },
    )
}

extension Strike {
    /// Sign-ins, refusals, pages and connections that are cut.
    fileprivate func soak(_ count: Int) async throws {
        var requests: [Request] = []
        for number in 0..<count {
            switch number % 20 {
            case 0: requests.append(try await genuine().request)
            case 1: requests.append(.get("/authorize"))
            case 2: requests.append(.get("/callback/yahoo.com?code=a&state=b"))
            case 3: requests.append(.json("/v1/exchange", text: "{"))
            case 4: requests.append(.form("/token", [("grant_type", "authorization_code")]))
            case 5: requests.append(exchange(idToken: "a.b.\(number)", nonce: "a"))
            case 6: requests.append(.get("/\(number)"))
            case 7:
                requests.append(
                    .raw("POST /v1/nonce HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nConnection: close\r\n\r\n{"))
            case 8: requests.append(.get("/openapi.json"))
            case 10: requests.append(.json("/v1/nonce", text: "{}"))
            default: requests.append(nonceRequest)
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for (index, request) in requests.enumerated() {
                if index >= 50 { await group.next() }
                group.addTask {
                    // One in twenty is not waited for.
                    _ = await lab.server.send(request, from: source, within: .seconds(index % 20 == 7 ? 0.05 : 20))
                }
            }
        }
    }
}
