internal import AttackLab
internal import Jansson

/// Who has which uid at Firebase.
actor People {
    private var known: Set<String> = []
    private let kit: Kit

    init(_ kit: Kit) {
        self.kit = kit
    }

    /// The same for the same person ever after, and for nobody else.
    func uid(of person: Person, asked: String?) -> (uid: String, isNew: Bool) {
        let uid = Self.uid(of: person, asked: asked, kit: kit)
        return (uid, known.insert(uid).inserted)
    }

    private static func uid(of person: Person, asked: String?, kit: Kit) -> String {
        if kit.makes(.uidFromBody), let asked { return asked }
        if kit.makes(.joinedByEmail), let email = person.profile["email"]?.string {
            return Kit.digest("email", email.lowercased())
        }
        let subject = kit.makes(.foldedSubject) ? person.subject.lowercased() : person.subject
        if kit.makes(.bareSubject) { return subject }
        return Kit.digest(person.provider, subject)
    }
}
