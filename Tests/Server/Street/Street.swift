import Curl
import Firebase
import JOSE
import Minting
import SQLiteStores
import Sandbox
import Server
import ServiceLifecycle

/// A whole deployment on loopback: the stand-ins of Yahoo and X, a flows, and the two real listeners before it.
struct Street: Sendable {
    let standIns: StandIns
    /// The origin at which browsers believe the server to be.
    let issuer: String
    let clock: StreetClock
    let store: SQLiteStore
    let signer: CustomTokenSigner
    let admission: Admission
    let gate: Gate
    let log: LogMemory
    let curl: CurlTransport
    let publicPort: Int
    let adminPort: Int
    let services: ServiceGroup

    struct NotReady: Error {}

    /// Runs it while `body` uses it.
    static func open(
        _ plan: Plan = Plan(), _ body: @escaping @Sendable (Street) async throws -> Void
    ) async throws {
        let clock = StreetClock()
        let log = LogMemory()
        // A machine with other things to do is slow, and that is not what is tested here.
        var patient = CurlConfiguration()
        patient.stallTimeout = .seconds(60)
        let curl = try CurlTransport(configuration: patient)
        let sandbox = Sandbox(google: try TestAccount.registered(), logger: log.logger) { clock.now.seconds }
        let (ready, whenReady) = AsyncStream.makeStream(of: SandboxAddresses.self)
        let (ports, whenListening) = AsyncStream.makeStream(of: (door: House.Door, port: Int).self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { whenReady.finish() }
                try? await sandbox.run { whenReady.yield($0) }
            }
            guard let addresses = await ready.first(where: { _ in true }) else { throw NotReady() }
            let standIns = StandIns(addresses: addresses)
            try await standIns.register(issuer: plan.issuer)
            let house = try House(plan, addresses: addresses, transport: curl.transport, clock: clock)
            let services = house.services(logger: log.logger) { whenListening.yield(($0, $1)) }
            group.addTask {
                defer { whenListening.finish() }
                try? await services.run()
            }
            var listening: [House.Door: Int] = [:]
            for await (door, port) in ports {
                listening[door] = port
                if listening.count == 2 { break }
            }
            guard let publicPort = listening[.street], let adminPort = listening[.yard] else { throw NotReady() }
            let street = Street(
                standIns: standIns, issuer: plan.issuer, clock: clock, store: house.store, signer: house.signer,
                admission: house.admission, gate: house.gate, log: log, curl: curl, publicPort: publicPort,
                adminPort: adminPort, services: services)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(street))
            } catch {
                result = .failure(error)
            }
            // A connection that is kept would keep its server.
            house.gate.open()
            await expectDescribed(by: street)
            await curl.shutdown()
            group.cancelAll()
            try result.get()
        }
    }
}
