import Fixtures
import Foundation

/// The error table of the contract.
enum Contract {
    struct Row: Sendable, Equatable {
        let status: Int
        let error: String
        let code: String
    }

    static let rows: [String: Row] = {
        var rows: [String: Row] = [:]
        func add(_ status: Int, _ error: String, _ code: String, _ reasons: String...) {
            for reason in reasons { rows[reason] = Row(status: status, error: error, code: code) }
        }
        add(
            400, "invalid_request", "auth/argument-error", "malformed_body", "unknown_field", "missing_field",
            "duplicate_parameter", "reserved_parameter", "parameter_not_allowed", "redirect_uri_not_allowed",
            "pkce_required", "unsupported_credential", "unknown_credential_type", "fresh_login_unavailable")
        add(400, "invalid_request", "auth/invalid-provider-id", "unknown_provider")
        add(
            400, "invalid_grant", "auth/invalid-credential", "audience_mismatch", "audience_unverifiable",
            "issuer_mismatch", "signature_invalid", "algorithm_not_allowed", "unknown_key", "expired",
            "not_yet_valid", "too_old", "nonce_mismatch", "at_hash_mismatch", "state_mismatch", "session_invalid",
            "callback_mismatch", "intent_mismatch", "code_rejected",
            "pkce_mismatch", "token_rejected", "malformed_token", "lifetime_too_long", "fresh_login_unproven",
            "issued_unwatched", "replayed")
        add(400, "invalid_grant", "auth/invalid-verification-code", "second_factor_invalid")
        add(400, "invalid_scope", "auth/internal-error", "invalid_scope")
        add(400, "access_denied", "auth/user-cancelled", "access_denied")
        for error in [
            "login_required", "account_selection_required", "consent_required", "interaction_required",
            "unsupported_grant_type", "unsupported_response_type", "unauthorized_client", "invalid_target",
            "authorization_pending", "slow_down", "expired_token",
        ] {
            add(400, error, "auth/internal-error", error)
        }
        add(401, "invalid_client", "auth/internal-error", "unknown_client")
        add(401, "invalid_token", "auth/invalid-user-token", "id_token_missing", "id_token_invalid")
        add(401, "invalid_token", "auth/user-token-expired", "id_token_expired", "id_token_revoked")
        add(401, "invalid_token", "auth/user-not-found", "account_gone")
        add(401, "invalid_token", "auth/requires-recent-login", "requires_recent_login")
        add(
            403, "access_denied", "auth/firebase-app-check-token-is-invalid", "app_check_required", "app_check_invalid")
        add(
            403, "access_denied", "auth/internal-error", "origin_not_allowed", "email_domain_not_allowed",
            "blocked_by_hook")
        add(403, "access_denied", "auth/user-disabled", "user_disabled", "provider_account_disabled")
        add(403, "access_denied", "auth/user-mismatch", "user_mismatch")
        add(403, "access_denied", "auth/multi-factor-auth-required", "second_factor_required")
        add(403, "access_denied", "auth/too-many-requests", "second_factor_locked")
        add(403, "access_denied", "auth/admin-restricted-operation", "anonymous_disabled")
        add(409, "invalid_request", "auth/credential-already-in-use", "credential_already_in_use")
        add(409, "invalid_request", "auth/provider-already-linked", "provider_already_linked")
        add(
            409, "invalid_request", "auth/account-exists-with-different-credential",
            "account_exists_with_different_credential")
        add(409, "invalid_request", "auth/no-such-provider", "no_such_provider")
        add(409, "invalid_request", "auth/internal-error", "last_identity")
        add(409, "invalid_request", "auth/operation-not-allowed", "merge_not_possible")
        add(409, "invalid_request", "auth/multi-factor-info-not-found", "no_such_factor")
        add(409, "invalid_request", "auth/maximum-second-factor-count-exceeded", "too_many_factors")
        add(
            403, "access_denied", "auth/operation-not-allowed", "provider_disabled",
            "provider_tokens_disabled", "not_for_anonymous")
        add(404, "invalid_request", "auth/internal-error", "not_found")
        add(405, "invalid_request", "auth/internal-error", "method_not_allowed")
        add(413, "invalid_request", "auth/internal-error", "body_too_large")
        add(414, "invalid_request", "auth/internal-error", "uri_too_long")
        add(415, "invalid_request", "auth/internal-error", "unsupported_media_type")
        add(431, "invalid_request", "auth/internal-error", "headers_too_large")
        add(429, "temporarily_unavailable", "auth/too-many-requests", "rate_limited")
        add(
            502, "temporarily_unavailable", "auth/internal-error", "provider_error", "provider_response_invalid",
            "provider_refuses_us")
        add(502, "temporarily_unavailable", "auth/network-request-failed", "provider_unreachable")
        add(504, "temporarily_unavailable", "auth/network-request-failed", "provider_timeout")
        add(
            503, "temporarily_unavailable", "auth/internal-error", "store_unavailable", "directory_unavailable",
            "clock_behind", "signer_unavailable", "hook_unavailable", "overloaded", "draining")
        add(500, "server_error", "auth/internal-error", "internal")
        return rows
    }()

    /// Reasons that other suites cover, because they need more than one request.
    static let elsewhere: Set<String> = [
        "fresh_login_unavailable", "lifetime_too_long", "fresh_login_unproven", "issued_unwatched", "account_gone",
        "provider_account_disabled", "merge_not_possible", "provider_refuses_us", "directory_unavailable",
        "clock_behind", "too_many_factors",
    ]
}

/// The tables of reasons in the guide.
enum ReasonTable {
    struct Malformed: Error, Equatable {
        let line: String
    }

    /// What the guide says about a reason.
    struct Explanation: Equatable {
        let cause: String
        /// Who can remedy it.
        let actors: [String]
        let remedy: String
    }

    /// The table by status: `| 400 | invalid_request | auth/argument-error | malformed_body, unknown_field |`, with each
    /// name in code marks.
    static func rows() throws -> [String: Contract.Row] {
        var rows: [String: Contract.Row] = [:]
        for (line, cells) in try lines() {
            guard cells.count == 4, let status = Int(cells[0]) else { continue }
            for reason in cells[3].split(separator: ",").map({ name(String($0)) }) {
                guard rows[reason] == nil else { throw Malformed(line: line) }
                rows[reason] = Contract.Row(status: status, error: name(cells[1]), code: name(cells[2]))
            }
        }
        return rows
    }

    /// The tables of the groups: `| reason | cause | who | remedy |`, with the reason in code marks.
    ///
    /// A row without a cause, a known actor or a remedy is malformed.
    static func explanations() throws -> [String: Explanation] {
        var explanations: [String: Explanation] = [:]
        for (line, cells) in try lines() {
            guard cells.count == 4, cells[0].hasPrefix("`") else { continue }
            let (reason, actors) = (name(cells[0]), cells[2].split(separator: ",").map { name(String($0)) })
            guard explanations[reason] == nil, !cells[1].isEmpty, !cells[3].isEmpty, !actors.isEmpty,
                Set(actors).isSubset(of: ["application", "user", "operator"])
            else { throw Malformed(line: line) }
            explanations[reason] = Explanation(cause: cells[1], actors: actors, remedy: cells[3])
        }
        return explanations
    }

    /// The rows of all tables on the page, with the texts of their cells.
    private static func lines() throws -> [(line: String, cells: [String])] {
        let page = Fixtures.repository.appending(path: "Sources/Documentation/Guide.docc/Errors.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("| ") && $0.hasSuffix("|") }
            .map { line in
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                return (line, cells.map { $0.trimmingCharacters(in: .whitespaces) })
            }
    }

    private static func name(_ cell: String) -> String { cell.filter { $0 != "`" && $0 != " " } }
}
