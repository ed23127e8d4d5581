internal import JOSE
internal import Jansson
internal import Standards
internal import Stores
internal import Transport

/// The name of a Firestore database, and the address of its API.
package struct FirestorePlace: Sendable, Equatable {
    package let project: String
    /// The id of the database; `(default)` is the name of the one that each project may have.
    package let database: String
    /// Host and port of an emulator, which is reached by plain HTTP and checks no token; `nil` for Google's service.
    package let emulator: String?

    package init(project: String, database: String, emulator: String? = nil) {
        self.project = project
        self.database = database
        self.emulator = emulator
    }

    /// `projects/P/databases/D`.
    package var name: String { "projects/\(project)/databases/\(database)" }
    package var host: String { emulator ?? "firestore.googleapis.com" }
    /// The URL of the API, without the name of a resource.
    package var base: String { (emulator == nil ? "https://" : "http://") + host + "/v1/" }
    var documents: String { name + "/documents" }
}

/// Returns an access token of Google, or throws the reason for an operator.
///
/// `refused` is a token that Firestore has just refused, so that it is not returned again.
typealias FirestoreToken = @Sendable (_ refused: Secret?) async throws(StoreError) -> Secret

/// The limits of a call to Firestore, with all its attempts.
package struct FirestorePatience: Sendable {
    /// The time of one call, with all attempts and pauses.
    package var budget = Duration.seconds(10)
    /// The maximum number of attempts of one request.
    package var attempts: Int
    /// The maximum number of times that a commit is prepared anew because a document of it was changed meanwhile.
    let conflicts = 100
    /// Waits, whether or not the task is cancelled.
    let pause: @Sendable (Duration) async -> Void
    let clock: @Sendable () -> ContinuousClock.Instant

    package init(
        attempts: Int = 16,
        pause: @escaping @Sendable (Duration) async -> Void = { duration in
            // A cancelled task would not sleep, and would send its attempts without a pause.
            await Task.detached { try? await Task.sleep(for: duration) }.value
        },
        clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.attempts = attempts
        self.pause = pause
        self.clock = clock
    }

    /// Waits before an attempt: at random up to 20 ms the first time, and up to twice as long each time after it, at most
    /// about a second.
    func pause(before attempt: Int, since start: ContinuousClock.Instant) async -> Bool {
        let longest = Duration.milliseconds(20 * (1 << min(attempt - 1, 6)))
        let pause = longest * Double.random(in: 0.25...1)
        guard start.duration(to: clock()) + pause < budget else { return false }
        await self.pause(pause)
        return true
    }
}

/// The REST API of Firestore, version 1.
struct FirestoreClient: Sendable {
    let place: FirestorePlace
    let transport: HTTPTransport
    let token: FirestoreToken
    let patience: FirestorePatience

    /// The maximum size of a response, which a page of accounts stays below.
    private static let maximumBodyBytes = 32 * 1024 * 1024
    private static let attemptTime = Duration.seconds(4)

    /// The failure of one attempt.
    enum Failure: Error {
        /// The condition of a write does not hold: `ALREADY_EXISTS`, `FAILED_PRECONDITION`, or `NOT_FOUND` for a
        /// document. Nothing was written.
        case conflict
        /// The attempt had no effect and may be repeated: `ABORTED`, 429, or nothing was sent.
        case repeatable(StoreError)
        /// The attempt may have had its effect: 408, 499, 500, 503, 504, a cut connection, no answer in time.
        case unknown(StoreError)
        /// The attempt had no effect, and another one would fail as well.
        case final(StoreError)

        var error: StoreError {
            switch self {
            case .conflict: .unavailable(.busy)
            case .repeatable(let error), .unknown(let error), .final(let error): error
            }
        }
    }

    /// Sends one request once, and a second time with another token if Firestore refuses the first one.
    ///
    /// - Parameters:
    ///   - path: The rest of the URL after ``FirestorePlace/base``.
    ///   - method: The method; `nil` for POST with a body and GET without one.
    ///   - start: The begin of the call, of whose budget this attempt is a part.
    func attempt(
        _ path: String, _ body: JSON?, method: OutboundRequest.Method? = nil, since start: ContinuousClock.Instant
    ) async throws(Failure) -> JSON {
        var refused: Secret?
        while true {
            let secret: Secret
            do throws(StoreError) {
                secret = try await token(refused)
            } catch {
                throw .final(error)
            }
            let left = patience.budget - start.duration(to: patience.clock())
            var request = OutboundRequest(
                method ?? (body == nil ? .get : .post), place.base + path,
                header: [
                    HeaderField("Authorization", "Bearer \(secret.secretText)"),
                    HeaderField("Content-Type", "application/json"),
                ],
                body: body?.serialized() ?? [], timeout: max(.seconds(1), min(Self.attemptTime, left)),
                maximumBodyBytes: Self.maximumBodyBytes)
            request.queue = CallQueue("firestore", "store")
            let response: OutboundResponse
            do throws(TransportError) {
                response = try await send(request)
            } catch {
                // Too many calls of this process wait, which says nothing about Firestore.
                let isOverload = if case .overloaded = error { true } else { false }
                let words = [error.sentence, error.advice(mayBeProvider: false)].compactMap(\.self)
                let cause = StoreError.unavailable(
                    isOverload ? .overloaded : .noAnswer, cause: words.joined(separator: ". "))
                throw error.requestMayHaveArrived ? .unknown(cause) : .repeatable(cause)
            }
            if response.status == 401, refused == nil {
                refused = secret
                continue
            }
            let isReading = path.hasSuffix("Query") || path.hasSuffix(":batchGet")
            return try Self.read(response, isReading: isReading)
        }
    }

    /// Sends a request from a task of its own, so that a cancelled caller does not leave an outcome unknown.
    private func send(_ request: OutboundRequest) async throws(TransportError) -> OutboundResponse {
        let transport = transport
        return try await Task.detached { await transport.result(of: request) }.value.get()
    }

    private static func read(_ response: OutboundResponse, isReading: Bool) throws(Failure) -> JSON {
        let body = try? JSON.parse(
            response.body, maximumBytes: maximumBodyBytes, maximumDepth: 64)
        // Readings are streams: an error is an element, which also ends a stream that began with the status 200.
        let error = body?["error"] ?? body?.array?.lazy.compactMap { $0["error"] }.first
        if response.status == 200, error == nil {
            guard let body else {
                throw .unknown(.unavailable(.noAnswer, cause: "the answer of Firestore is not JSON"))
            }
            return body
        }
        let status = error?["status"]?.string ?? ""
        let text = String((error?["message"]?.string ?? "").unicodeScalars.filter { (0x20...0x7E).contains($0.value) })
        var cause = "Firestore answers \(response.status)"
        if !status.isEmpty { cause += " \(status)" }
        if !text.isEmpty { cause += ": \(text.prefix(300))" }
        if response.body.isPage { cause = "a page answers in place of Firestore, with the status \(response.status)" }
        switch (response.status, status) {
        // After the beginning of an answer, no status says that nothing was done.
        case (200..<300, _): throw .unknown(.unavailable(.noAnswer, cause: cause))
        case (_, "ALREADY_EXISTS"): throw .conflict
        case (400, "FAILED_PRECONDITION") where text.contains("Datastore Mode"):
            throw .final(.unavailable(.notADatabase, cause: cause))
        // A reading has no condition: its index is missing, or the database is being deleted.
        case (400, "FAILED_PRECONDITION") where isReading:
            throw .final(.unavailable(.other, cause: cause))
        case (400, "FAILED_PRECONDITION"): throw .conflict
        // A document that does not exist is an element of the answer to a reading.
        case (404, "NOT_FOUND") where isReading,
            (404, _) where text.hasPrefix("The database ") && text.contains("does not exist"):
            throw .final(.unavailable(.databaseMissing, cause: cause))
        case (404, "NOT_FOUND"): throw .conflict
        case (409, _): throw .repeatable(.unavailable(.busy, cause: cause))
        case (429, _): throw .repeatable(.unavailable(.busy, cause: cause))
        case (300..<499, _) where response.body.isPage && response.status != 408:
            throw .final(.unavailable(.noAnswer, cause: cause))
        case (401, _): throw .final(.unavailable(.authentication, cause: cause))
        case (403, _): throw .final(.unavailable(.privilegeMissing, cause: cause))
        case (408, _), (499..., _): throw .unknown(.unavailable(.noAnswer, cause: cause))
        default: throw .final(.unavailable(.other, cause: cause))
        }
    }

    /// Sends a request that only reads, or that may be repeated after it had its effect, and repeats it within the budget.
    ///
    /// - Returns: The JSON of the response; `nil` if the resource does not exist.
    func read(
        _ path: String, _ body: JSON?, method: OutboundRequest.Method? = nil
    ) async throws(StoreError) -> JSON? {
        let start = patience.clock()
        var count = 1
        while true {
            let failure: Failure
            do throws(Failure) {
                return try await attempt(path, body, method: method, since: start)
            } catch {
                failure = error
            }
            switch failure {
            case .conflict: return nil
            case .final(let error): throw error
            case .repeatable(let error), .unknown(let error):
                guard count < patience.attempts, await patience.pause(before: count, since: start) else { throw error }
                count += 1
            }
        }
    }
}

/// The calls that read.
extension FirestoreClient {
    /// Reads documents at one moment.
    ///
    /// - Parameter names: The names, each once.
    /// - Returns: Those that exist, and Firestore's time.
    func get(
        _ names: [DocumentName]
    ) async throws(StoreError) -> (found: [DocumentName: StoredDocument], time: NumericDate?) {
        guard !names.isEmpty else { return ([:], nil) }
        let body = JSON.object(["documents": .array(names.map { .string(place.documents + "/" + $0.path) })])
        let answer = try await read(place.documents + ":batchGet", body)
        guard let elements = answer?.array
        else { throw .unavailable(.noAnswer, cause: "the answer of Firestore has no documents") }
        guard elements.count == names.count
        else { throw .unavailable(.noAnswer, cause: "the answer of Firestore is incomplete") }
        let byPath = Dictionary(names.map { (place.documents + "/" + $0.path, $0) }) { one, _ in one }
        var found: [DocumentName: StoredDocument] = [:]
        var time: NumericDate?
        for element in elements {
            time = element["readTime"]?.string.flatMap(Timestamp.date) ?? time
            guard element["missing"] == nil else { continue }
            guard let document = element["found"].flatMap({ Self.document($0) }),
                let name = element["found"]?["name"]?.string.flatMap({ byPath[$0] })
            else { throw .corrupt }
            found[name] = document
        }
        return (found, time)
    }

    private static func document(_ json: JSON) -> StoredDocument? {
        guard let name = json["name"]?.string, let updateTime = json["updateTime"]?.string,
            let id = name.split(separator: "/").last
        else { return nil }
        return StoredDocument(
            id: String(id), fields: Fields(values: json["fields"]?.object ?? [:]), updateTime: updateTime)
    }

    func find(_ query: Query) async throws(StoreError) -> [StoredDocument] {
        guard query.limit > 0 else { return [] }
        let answer = try await read(
            place.documents + ":runQuery", .object(["structuredQuery": query.json]))
        guard let elements = answer?.array
        else { throw .unavailable(.noAnswer, cause: "the answer of Firestore has no documents") }
        return elements.compactMap { $0["document"].flatMap { Self.document($0) } }
    }

    func count(_ query: Query) async throws(StoreError) -> Int {
        let answer = try await read(
            place.documents + ":runAggregationQuery",
            .object([
                "structuredAggregationQuery": .object([
                    "structuredQuery": query.json,
                    "aggregations": .array([.object(["alias": .string("n"), "count": .object([:])])]),
                ])
            ]))
        guard let text = answer?.array?.first?["result"]?["aggregateFields"]?["n"]?["integerValue"]?.string,
            let count = Int(text)
        else { throw .corrupt }
        return count
    }

    /// Returns the identity of the database, which differs after a restore.
    ///
    /// - Returns: The `uid`; the name at the emulator, which has none.
    /// - Throws: ``StoreError``; with the fault ``StoreFault/privilegeMissing`` if the server may not read it.
    func databaseIdentity() async throws(StoreError) -> String {
        guard place.emulator == nil else { return place.name }
        guard let uid = try await database()["uid"]?.string else { throw .corrupt }
        return uid
    }

    /// Returns the resource of the database, which the emulator does not have.
    ///
    /// - Throws: ``StoreError``; with the fault ``StoreFault/privilegeMissing`` if the server may not read it.
    func database() async throws(StoreError) -> JSON {
        do throws(StoreError) {
            guard let answer = try await read(place.name, nil) else { throw .unavailable(.databaseMissing) }
            if let type = answer["type"]?.string, type == "DATASTORE_MODE" {
                throw .unavailable(.notADatabase, cause: "the database is in Datastore mode")
            }
            return answer
        } catch .unavailable(.privilegeMissing, let cause) {
            let reason = "the identity of the database needs the permission datastore.databases.getMetadata"
            throw .unavailable(.privilegeMissing, cause: [reason, cause].compactMap(\.self).joined(separator: "; "))
        }
    }
}

/// A query of one collection.
///
/// Its conditions concern one field, which is also the order, so that every query has its index without an operator's help.
struct Query {
    let collection: Collection
    /// The field of the conditions and of the order; `nil` for neither.
    var field: String?
    /// The operator of the condition, and its value.
    var condition: (operator: String, value: JSON)?
    var limit: Int
    /// The fields of the result; `nil` for all.
    var selected: [String]?

    init(_ collection: Collection, limit: Int) {
        self.collection = collection
        self.limit = limit
    }

    static func integer(_ value: Int64) -> JSON { .object(["integerValue": .string(String(value))]) }

    fileprivate var json: JSON {
        var query: [String: JSON] = ["from": .array([.object(["collectionId": .string(collection.rawValue)])])]
        if limit < .max { query["limit"] = .integer(Int64(limit)) }
        if let field {
            let path = JSON.object(["fieldPath": .string(field)])
            query["orderBy"] = .array([.object(["field": path, "direction": .string("ASCENDING")])])
            if let condition {
                query["where"] = .object([
                    "fieldFilter": .object([
                        "field": path, "op": .string(condition.operator), "value": condition.value,
                    ])
                ])
            }
        }
        if let selected {
            query["select"] = .object([
                "fields": .array(selected.map { .object(["fieldPath": .string($0)]) })
            ])
        }
        return .object(query)
    }
}
