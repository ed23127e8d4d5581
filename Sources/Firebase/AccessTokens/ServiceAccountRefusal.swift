internal import Jansson
internal import Standards
package import Transport

/// Google's refusal to sign for a service account, or to issue an access token for one.
package struct ServiceAccountRefusal: Error, Equatable, Sendable {
    package let status: Int
    /// The address of the service account.
    package let account: String
    /// The identity that asked, in words.
    package let caller: String
    /// Only with the status 403.
    let fault: CallFault
    /// What Google says, without credentials and addresses.
    private let words: String?
    private let isPage: Bool
    private let isOfUnknownReason: Bool

    /// Reads the response of the IAM Service Account Credentials API.
    ///
    /// - Parameters:
    ///   - response: A response with another status than 200, whose body may be an error of Google APIs (AIP-193).
    ///   - account: The address of the service account.
    ///   - caller: The identity that asked, in words.
    package init(_ response: OutboundResponse, account: String, caller: String) {
        (status, self.account, self.caller) = (response.status, account, caller)
        let error = (try? JSON.parse(response.body))?["error"]
        (fault, isOfUnknownReason) = (CallFault(error), CallFault.isUnknown(error))
        (words, isPage) = (response.googleWords(), response.body.isPage)
    }

    /// Whether the same call fails until an operator changes permissions at Google.
    package var isLasting: Bool { !isPage && !isOfUnknownReason && (status == 403 || status == 404) }
}

extension ServiceAccountRefusal: CustomStringConvertible {
    /// The refusal in words, for an operator.
    package var description: String {
        guard !isPage else {
            return "a page answers in place of Google to a call for the service account \(account) (status \(status))"
        }
        guard isLasting else {
            return "Google refuses, with the status \(status), a call for the service account \(account)"
                + (words.map { ": \($0)" } ?? "")
        }
        let cause =
            switch fault {
            case .apiDisabled(project: nil): "the \(Self.api) is disabled in the project of \(caller)"
            default:
                fault.sentence(Self.api)
                    ?? "\(caller) may not act as the service account \(account), or that account does not exist"
            }
        return "\(cause) (status \(status))"
    }

    private static let api = "IAM Service Account Credentials API"

    /// What an operator does about it, as sentences.
    package var remedy: String {
        let endpoint = "If firebase.endpoints is written, compare iam_credentials."
        if isPage { return "\(endpoint) \(OutboundResponse.adviceOnProxies)" }
        guard isLasting else {
            return "Try again later. If it lasts, check in the Google Cloud console that \(account) is enabled. "
                + endpoint
        }
        return fault.remedy("iamcredentials.googleapis.com")
            ?? "If \(account) exists, grant \(caller) the role Service Account Token Creator "
            + "(roles/iam.serviceAccountTokenCreator) on it, not on another one and not on the project. A new grant takes effect "
            + "after minutes. If it does not exist, correct its address."
    }
}
