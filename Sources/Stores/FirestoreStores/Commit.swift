internal import JOSE
internal import Jansson
internal import OpenSSL
internal import Stores

/// One write of a commit, with the condition under which Firestore makes it.
enum ConditionalWrite {
    /// Makes a document that does not exist.
    case create(DocumentName, Fields)
    /// Replaces a document that has not changed since it was read.
    case replace(DocumentName, Fields, updateTime: String)
    /// Writes a document, whatever is there. A repeated commit has the same result.
    case put(DocumentName, Fields)
    /// Deletes a document that has not changed since it was read.
    case delete(DocumentName, updateTime: String)
    /// Requires that a document still does not exist.
    case absent(DocumentName)

    func json(in place: FirestorePlace) -> JSON {
        func name(_ name: DocumentName) -> JSON { .string(place.documents + "/" + name.path) }
        func update(_ target: DocumentName, _ fields: Fields) -> JSON {
            .object(["name": name(target), "fields": .object(fields.values)])
        }
        let missing = JSON.object(["exists": .bool(false)])
        func unchanged(_ time: String) -> JSON { .object(["updateTime": .string(time)]) }
        return switch self {
        case .create(let target, let fields):
            .object(["update": update(target, fields), "currentDocument": missing])
        case .replace(let target, let fields, let time):
            .object(["update": update(target, fields), "currentDocument": unchanged(time)])
        case .put(let target, let fields): .object(["update": update(target, fields)])
        case .delete(let target, let time): .object(["delete": name(target), "currentDocument": unchanged(time)])
        case .absent(let target): .object(["delete": name(target), "currentDocument": missing])
        }
    }
}

enum CommitOutcome: Equatable {
    /// Everything is written. `time` is Firestore's clock; `nil` if it is not known.
    case done(time: NumericDate?)
    /// The condition of a write does not hold, so that nothing was written.
    case conflict
}

extension FirestoreClient {
    /// Makes the 128 random bits by which a commit finds its own documents again.
    static func makeAttempt() throws(StoreError) -> [UInt8] {
        do throws(OpenSSLError) {
            return try SecureRandom.bytes(16)
        } catch {
            throw .unavailable(.other)
        }
    }

    /// Commits all writes or none.
    ///
    /// If the answer to an attempt is lost, the commit may have happened or may still arrive. The document `witness` is
    /// then read: the commit happened if it has the octets of this commit; another one happened if it has others. If
    /// there is no document, the same commit is sent again, which cannot happen twice because it makes `witness`.
    ///
    /// A broken condition is no proof that nothing was written: Firestore may have made the commit of an attempt that it
    /// called aborted, or that was sent twice below this program. The witness is therefore read after it as well.
    ///
    /// - Parameters:
    ///   - writes: The writes, of different documents.
    ///   - witness: A document that the commit makes; `nil` if the commit can be repeated after it has happened.
    ///   - attempt: The octets of the commit, which are in `witness`.
    ///   - start: The begin of the call.
    /// - Throws: ``StoreError/outcomeUnknown(_:)`` if an attempt may have had its effect and the budget has ended.
    func commit(
        _ writes: [ConditionalWrite], witness: DocumentName?, _ attempt: [UInt8], since start: ContinuousClock.Instant
    ) async throws(StoreError) -> CommitOutcome {
        let body = JSON.object(["writes": .array(writes.map { $0.json(in: place) })])
        var (count, isUncertain) = (1, false)
        while true {
            let failure: Failure
            do throws(Failure) {
                let answer = try await self.attempt(place.documents + ":commit", body, since: start)
                return .done(time: answer["commitTime"]?.string.flatMap(Timestamp.date))
            } catch {
                failure = error
            }
            switch failure {
            case .conflict where !isUncertain && witness == nil: return .conflict
            case .final(let error) where !isUncertain: throw error
            case .conflict, .unknown: isUncertain = true
            case .repeatable, .final: break
            }
            if isUncertain, let witness {
                switch await reading(witness, attempt) {
                case .own(let time): return .done(time: time)
                case .other: return .conflict
                // A condition that does not hold although the document is missing was broken by another commit.
                case .missing: if case .conflict = failure { return .conflict }
                case .unreadable: break
                }
            } else if case .conflict = failure {
                // Only the lost attempt can have broken the condition of a commit that may be repeated.
                return .done(time: nil)
            }
            if case .final = failure { throw .outcomeUnknown(.noAnswer) }
            guard count < patience.attempts, await patience.pause(before: count, since: start) else {
                throw isUncertain ? .outcomeUnknown(.noAnswer) : failure.error
            }
            count += 1
        }
    }

    private enum Witness {
        /// This commit made the document, before Firestore's clock showed `time`.
        case own(time: NumericDate?)
        case other, missing, unreadable
    }

    private func reading(_ witness: DocumentName, _ attempt: [UInt8]) async -> Witness {
        guard let (found, time) = try? await get([witness]) else { return .unreadable }
        guard let document = found[witness] else { return .missing }
        return document.fields[bytes: Fields.attemptField] == attempt ? .own(time: time) : .other
    }
}

/// Documents that a call reads, and what it wants to change of them.
///
/// Nothing is written until the commit, whose conditions are that no document which was read has changed.
final class FirestoreSession {
    private let client: FirestoreClient
    private var found: [DocumentName: StoredDocument?] = [:]
    private var changes: [DocumentName: Fields?] = [:]
    /// Firestore's clock at the last reading.
    private(set) var time: NumericDate?
    /// Whether a lost answer must not hide that another call changed the same documents, which takes one more document if
    /// none of them is new.
    var needsProof = true
    /// Whether two documents contradict each other, which a change between their readings would explain.
    var isDoubtful = false
    private var readings = 0

    init(_ client: FirestoreClient) {
        self.client = client
    }

    /// Reads documents in one round trip, for later calls of ``document(_:)``.
    func prepare(_ names: DocumentName...) async throws(StoreError) { try await prepare(names) }

    func prepare(_ names: [DocumentName]) async throws(StoreError) {
        var unread: [DocumentName] = []
        for name in names where found[name] == nil && !unread.contains(name) { unread.append(name) }
        guard !unread.isEmpty else { return }
        let (documents, time) = try await client.get(unread)
        for name in unread { found[name] = .some(documents[name]) }
        self.time = time ?? self.time
        readings += 1
    }

    /// The fields of a document, with the changes of this session; `nil` if it does not exist.
    func document(_ name: DocumentName) async throws(StoreError) -> Fields? {
        if let change = changes[name] { return change }
        try await prepare([name])
        return found[name].flatMap { $0?.fields }
    }

    /// Changes a document that was read.
    func set(_ name: DocumentName, _ fields: Fields) {
        precondition(found[name] != nil, "The condition of a write is what was read.")
        changes[name] = .some(fields)
    }

    /// Deletes a document that was read.
    func delete(_ name: DocumentName) {
        precondition(found[name] != nil, "The condition of a write is what was read.")
        changes[name] = .some(nil)
    }

    /// Returns whether a document has changed since it was read, so that a result of several readings may be wrong.
    ///
    /// One reading is of one moment, and is not repeated.
    func isOutdated() async throws(StoreError) -> Bool {
        guard readings > 1 else { return false }
        let documents = try await client.get(Array(found.keys)).found
        return found.contains { documents[$0.key]?.updateTime != $0.value?.updateTime }
    }

    /// Commits the changes, if what was read is unchanged.
    ///
    /// - Parameters:
    ///   - now: The clock, for the end of a document that only proves the commit.
    ///   - start: The begin of the call.
    func commit(at now: NumericDate, since start: ContinuousClock.Instant) async throws(StoreError) -> CommitOutcome {
        guard !changes.isEmpty else { return try await isOutdated() ? .conflict : .done(time: time) }
        let attempt = try FirestoreClient.makeAttempt()
        var writes: [ConditionalWrite] = []
        var made: [DocumentName] = []
        for (name, document) in found {
            // A document that was only read is written as it is, which changes nothing and checks the condition.
            var fields = changes[name] ?? document?.fields
            switch (document, fields) {
            case (nil, nil): writes.append(.absent(name))
            case (nil, _?):
                made.append(name)
                fields?[bytes: Fields.attemptField] = attempt
                writes.append(.create(name, fields ?? Fields()))
            case (let document?, nil): writes.append(.delete(name, updateTime: document.updateTime))
            case (let document?, _?):
                fields?.values[Fields.attemptField] = document.fields.values[Fields.attemptField]
                writes.append(.replace(name, fields ?? Fields(), updateTime: document.updateTime))
            }
        }
        // A record of use is never changed, so that it proves the commit for as long as it is kept.
        var witness = made.first { $0.collection == .spent } ?? made.first
        if witness == nil, needsProof {
            let name = DocumentName(.commits, digest: attempt)
            var fields = Fields()
            fields[bytes: Fields.attemptField] = attempt
            fields.setExpiry(now)
            writes.append(.create(name, fields))
            witness = name
        }
        return try await client.commit(writes, witness: witness, attempt, since: start)
    }
}
