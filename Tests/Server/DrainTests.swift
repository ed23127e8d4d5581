import Curl
import Server
import ServiceLifecycle
import Testing
import Transport

@Suite("Shutdown", .serialized, .timeLimit(.minutes(5)))
struct DrainTests {
    @Test("R-12: a load balancer sees that the server leaves before any connection is refused")
    func delay() async throws {
        let (isOver, end) = AsyncStream.makeStream(of: Void.self)
        try await Street.open(.with { $0.drainDelay = { for await _ in isOver {} } }) { street in
            await street.services.triggerGracefulShutdown()
            while !street.admission.isEnding { try await Task.sleep(for: .milliseconds(2)) }
            let readiness = try await street.get("/readyz", admin: true)
            #expect(readiness.status == 503)
            #expect(readiness.text == #"{"failing":["draining"],"status":"unavailable"}"#)
            #expect(try await street.get("/healthz", admin: true).status == 200)
            // On a connection of its own.
            #expect(try await street.raw(Street.request())?.status == 200)
            end.finish()
            while !street.admission.isDraining { try await Task.sleep(for: .milliseconds(2)) }
        }
    }

    @Test("R-12: a request under way is finished, and nobody new is let in")
    func drain() async throws {
        try await Street.open { street in
            let body = try await street.codeBody()
            try await Wire.connect(to: street.publicPort) { kept in
                try await kept.send(Street.request())
                #expect(try await kept.answer()?.status == 200)
                street.gate.shut()
                async let underWay = street.exchange(body)
                await street.gate.isReached()
                await street.services.triggerGracefulShutdown()
                while !street.admission.isDraining { try await Task.sleep(for: .milliseconds(2)) }
                // On a connection from before: told to come back, or the connection has ended.
                try? await kept.send(Street.request())
                if let answer = try? await kept.answer() {
                    try expectRefusal(answer, "draining", retry: "same")
                    #expect(answer[field: "Connection"] == "close")
                }
                #expect(await kept.rest().isEmpty)
                street.gate.open()
                #expect(try await underWay.status == 200)
            }
            await street.curl.shutdown()
            // Nobody listens any more.
            while (try? await Wire.connect(to: street.publicPort) { _ in }) != nil {
                try await Task.sleep(for: .milliseconds(2))
            }
        }
    }
}
