/// How long the name of a person may be at an issuer.
package enum SubjectLimit: Sendable {
    /// OpenID Connect Core 1.0 §2: sub "MUST NOT exceed 255 ASCII characters in length."
    ///
    /// Counted in bytes.
    case openIDConnect
    /// 128 UTF-16 code units, which is how Firebase counts the characters of a uid.
    case firebase

    func allows(_ subject: String) -> Bool {
        switch self {
        case .openIDConnect: subject.utf8.count <= 255
        case .firebase: subject.utf16.count <= 128
        }
    }
}
