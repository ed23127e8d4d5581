internal import Jansson

extension Catalogue {
    static let killsInBetween = Section(.crash, .critical, needs: [.processes, .standIns]).attacks(
        .attack(
            "CR-02a", "The server is killed before it can record that a credential is used.",
            oracle: "The credential is accepted once, or refused with issued_unwatched.", source: "catalogue SR-09"
        ) { strike in
            try await strike.onOwnServer("before") { there, server, bed in
                let (request, _) = try await there.genuine()
                let lock = try WriteLock(database: "\(bed.folder)/\(server.name).db")
                async let cut = there.lab.server.send(request, from: there.source, within: .seconds(5))
                try await Task.sleep(for: .milliseconds(300))
                await bed.kill(server)
                if let answer = await cut.answer {
                    await strike.found(
                        .wrongAnswer, "The server responded with \(answer.status) to a sign-in without recording it.")
                }
                lock.release()
                try await bed.restart(server)
                await there.expectOnceAtMost(request)
            }
        },
        .attack(
            "CR-02b", "The server is killed while the provider processes a code.",
            oracle:
                "The server records the code as used before it calls the provider, and refuses it after the restart.",
            source: "catalogue SR-09; RFC 9700 4.2.4"
        ) { strike in
            try await strike.onOwnServer("between") { there, server, bed in
                let requests = [try await there.codeExchange(), try await there.sessionExchange()]
                let before = try await there.mark()
                try await there.standIns.fault(["target": "yahoo.token", "delay_ms": 3000])
                async let first = there.lab.server.send(requests[0], from: there.source, within: .seconds(5))
                async let second = there.lab.server.send(requests[1], from: there.source, within: .seconds(5))
                try await Task.sleep(for: .milliseconds(500))
                await bed.kill(server)
                guard await [first, second].allSatisfy({ $0.answer == nil }) else {
                    throw Inconclusive("The server was killed after the provider had processed a code.")
                }
                try await there.standIns.reset()
                try await bed.restart(server)
                try await there.awaitCalls(of: "yahoo.token", count: 2, since: before)
                let mark = try await there.mark()
                for request in requests { await there.fire(request, expecting: .used) }
                try await there.expectCalls(["yahoo.token": 0], since: mark)
            }
        },
        .attack(
            "CR-02c", "The server is killed during sixty sign-ins.",
            oracle: "Every credential that got a response is recorded; none succeeds twice.", source: "catalogue SR-09",
            needs: [.processes, .standIns, .bulk]
        ) { strike in
            try await strike.onOwnServer("amid") { there, server, bed in
                var requests: [Request] = []
                for _ in 0..<60 { requests.append(try await there.genuine().request) }
                let answered = await withTaskGroup(of: (Int, Bool).self) { group in
                    for (index, request) in requests.enumerated() {
                        group.addTask {
                            let reply = await there.lab.server.send(request, from: there.source, within: .seconds(10))
                            return (index, reply.answer?.status == 200)
                        }
                    }
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(60))
                        await bed.kill(server)
                        return (-1, false)
                    }
                    var answered: Set<Int> = []
                    for await (index, wasAnswered) in group where wasAnswered { answered.insert(index) }
                    return answered
                }
                try await bed.restart(server)
                for (index, request) in requests.enumerated() {
                    if answered.contains(index) {
                        await there.fire(request, expecting: .used)
                    } else {
                        // The tester cannot know whether the credential was used before the kill.
                        await there.expectOnceAtMost(request)
                    }
                }
            }
        },
        .attack(
            "CR-02d", "The server is killed during twenty callbacks and redemptions.",
            oracle: "No flow yields two codes, and no code is redeemed twice.", source: "catalogue SR-09",
            needs: [.processes, .browserFlow]
        ) { strike in
            try await strike.onOwnServer("amid") { there, server, bed in
                var requests: [Request] = []
                for number in 0..<20 {
                    if number % 2 == 0 {
                        let (code, flow) = try await there.handoff(user: "carol")
                        requests.append(there.redeem(code, flow))
                    } else {
                        let flow = try await there.begin()
                        requests.append(await there.callback(try await there.approve(flow), in: flow.browser))
                    }
                }
                await withTaskGroup(of: Void.self) { group in
                    for request in requests {
                        group.addTask {
                            _ = await there.lab.server.send(request, from: there.source, within: .seconds(10))
                        }
                    }
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(40))
                        await bed.kill(server)
                    }
                }
                try await bed.restart(server)
                for (index, request) in requests.enumerated() {
                    _ = await there.lab.server.send(request, from: there.source)
                    // The application learns by a redirect that the store may lack records of the flow's time.
                    await there.fire(
                        request,
                        expecting: index % 2 == 0 ? .refused("replayed", "code_rejected") : .status(303, 400))
                }
            }
        },
        .attack(
            "CR-14", "The server gets SIGTERM while it processes a code and receives other requests.", severity: .high,
            oracle: "The server completes requests in progress; later ones get 503 or no connection.",
            source: "token-exchange API"
        ) { strike in
            try await strike.onOwnServer("drained") { there, server, bed in
                let request = try await there.codeExchange()
                try await there.standIns.fault(["target": "yahoo.token", "delay_ms": 1200])
                async let underWay = there.lab.server.send(request, from: there.source, within: .seconds(10))
                try await Task.sleep(for: .milliseconds(300))
                await bed.send(15, to: server)
                try await Task.sleep(for: .milliseconds(200))
                await there.fire(
                    there.nonceRequest,
                    expecting: .refused("draining", status: 503, error: "temporarily_unavailable").orClosed)
                await there.expectAnswer(await underWay, [200], to: "A sign-in that was in progress")
                try await there.standIns.reset()
                await bed.kill(server)
                try await bed.restart(server)
                await there.fire(request, expecting: .refused("replayed"))
            }
        },
    )
}
