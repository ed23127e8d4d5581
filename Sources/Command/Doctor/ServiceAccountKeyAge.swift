internal import JOSE
internal import Jansson
internal import OpenSSL

/// Reads the age and the end of a service account's key from the certificate with which Google publishes it.
///
/// For a key that Google made, `notBefore` is the time at which it was made, and `notAfter` is the year 9999 unless a
/// policy of the organization limits it (`iam.serviceAccountKeyExpiryHours`). For a key that was uploaded, both are
/// those of the uploaded certificate.
enum ServiceAccountKeyAge {
    private static let id = "google.key_age"
    /// The age at which Google recommends to replace a key (cloud.google.com/iam/docs/key-rotation).
    private static let recommendedDays = 90
    /// The same number of days as for the certificate of the public listener.
    private static let warningDays = 14

    /// - Parameters:
    ///   - keyID: The name of the key; `nil` for a key that only Google has, and that Google replaces.
    ///   - document: The published certificates, or a JWK set.
    ///   - account: The address of the service account.
    /// - Returns: The finding; `nil` without a key ID. An old key is no warning: it works, and whether it has to be
    ///   replaced depends on the operator's policy.
    static func finding(_ keyID: String?, in document: [UInt8], of account: String, at now: NumericDate) -> Finding? {
        guard let keyID else { return nil }
        let pem = (try? JSON.parse(document))?[keyID]?.string
        guard let dates = pem.flatMap({ CertificateDates(pem: $0) }) else {
            return Finding(
                id, of: account, .info,
                "The age of the key is not known: firebase.endpoints.service_account_keys has no certificate for it.")
        }
        let replacement =
            "Create another key in the console, put its file first in firebase.service_account, reload every server, and "
            + "then delete the old key."
        guard now.seconds <= dates.notAfter else {
            return Finding(
                id, of: account, .error, "The key expired \(days(now.seconds - dates.notAfter)) ago.",
                remedy: replacement)
        }
        let (age, left) = (now.seconds - dates.notBefore, dates.notAfter - now.seconds)
        if left < Int64(warningDays) * 86400 {
            return Finding(id, of: account, .warning, "The key expires in \(days(left)).", remedy: replacement)
        }
        let text = "The key is \(days(max(0, age))) old."
        guard age > Int64(recommendedDays) * 86400 else { return Finding(id, of: account, .info, text) }
        return Finding(
            id, of: account, .info, "\(text) Google recommends to replace keys every \(recommendedDays) days.",
            remedy: replacement)
    }

    private static func days(_ seconds: Int64) -> String {
        Counted.of(seconds / 86400, "day")
    }
}
