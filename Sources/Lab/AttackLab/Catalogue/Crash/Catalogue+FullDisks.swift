internal import Foundation
internal import Jansson

extension Catalogue {
    static let fullDisks = Section(.crash, .high, needs: [.processes, .standIns, .bulk]).attacks(
        .attack(
            "CR-08a", "The server runs out of file descriptors while hundreds connect, and gets them back.",
            oracle: "No sign-in succeeds without a record; afterwards the server works again without a restart.",
            source: "EMFILE; Hummingbird's available connections"
        ) { strike in
            try await strike.onOwnServer("descriptors") { there, server, bed in
                try await there.honest(try await there.genuine().request)
                let limits = try await ProcessLimits(of: server, in: bed)
                let ready = try await there.genuine().request
                try await limits.setOpenFiles(try limits.openFiles + 20)
                var held: [WireConnection] = []
                for _ in 0..<150 {
                    guard
                        let connection = try? await WireConnection(
                            to: server.wire, from: there.source, within: .milliseconds(500))
                    else { continue }
                    try? await connection.send(there.metadataBytes)
                    held.append(connection)
                }
                // Whether a request succeeds now depends on the operating system.
                _ = await server.wire.send(ready, from: there.source, within: .seconds(2))
                await strike.expect(
                    await bed.processID(of: server) != nil, .dead, "Without descriptors the server ended.")
                try await limits.setOpenFiles(20_000)
                held = []
                try await Task.sleep(for: .seconds(1))
                let (request, _) = try await there.genuine()
                try await there.mustStillWork(request)
                await there.fire(request, expecting: .refused("replayed"))
            }
        },
        .attack(
            "CR-08b", "There is no room for the store at the start.",
            oracle: "The start is refused, and succeeds as soon as there is room.", source: "ENOSPC",
            needs: [.processes]
        ) { strike in
            let bed = try strike.lab.needed(strike.lab.testBed, "processes")
            var plan = ServerPlan("cr-08b-full")
            for suffix in Strike.databaseSuffixes {
                try? FileManager.default.removeItem(atPath: "\(bed.folder)/\(plan.name).db\(suffix)")
            }
            let folder = bed.folder + "/cr-08b-no-such"
            plan.set("store", .string("sqlite://\(folder)/parent/a.db"))
            let (code, output) = try await bed.refusal(plan)
            await strike.expect(
                code.map { $0 != 0 } ?? false && output.utf8.count < 4000, .wrongAnswer,
                "Without a place for the store the server started.")
            try FileManager.default.createDirectory(atPath: folder + "/parent", withIntermediateDirectories: true)
            try await strike.withServer(plan) { server in
                try await strike.honest(.get("/readyz"), at: server.admin)
            }
        },
        .attack(
            "CR-08c", "The disk becomes full in the middle of forty sign-ins at once, and empty again.",
            severity: .critical, oracle: "Each request signs in or gets 503; afterwards none succeeds twice.",
            source: "CVE-2020-15223"
        ) { strike in
            try await strike.onOwnServer("full") {
                $0.prelude = "trap '' XFSZ"
            } _: { there, server, bed in
                let limits = try await ProcessLimits(of: server, in: bed)
                var requests: [Request] = []
                for _ in 0..<40 { requests.append(try await there.genuine().request) }
                let halves = [requests.prefix(20), requests.suffix(20)]
                async let early = Wire.volley(halves[0].map { (server.wire, $0) }, from: there.source)
                try await limits.setLargestFile(4096)
                let late = await Wire.volley(halves[1].map { (server.wire, $0) }, from: there.source)
                let replies = await early + late
                try await limits.setLargestFile(nil)
                for (request, reply) in zip(requests, replies) {
                    await there.expectAnswer(reply, [200, 503], to: "A sign-in on a full disk")
                    if reply.answer?.status == 503 { try await there.mustStillWork(request) }
                    await there.fire(request, expecting: .refused("replayed"))
                }
            }
        },
    )
}
