internal import Foundation
internal import JOSE
internal import Jansson
internal import Minting

/// The kind of a token according to its own, unverified claims.
enum TokenKind: String {
    case customToken = "Firebase custom token"
    case firebaseIDToken = "Firebase ID token"
    case sessionCookie = "Firebase session cookie"
    case idToken = "ID token"

    init(_ payload: JSON) {
        let issuer = payload["iss"]?.string ?? ""
        if payload["aud"]?.string == CustomTokenClaims.audience || Self.isSelfIssued(payload) {
            self = .customToken
        } else if issuer.hasPrefix("https://securetoken.google.com/") {
            self = .firebaseIDToken
        } else if issuer.hasPrefix("https://session.firebase.google.com/") {
            self = .sessionCookie
        } else {
            self = .idToken
        }
    }

    /// Whether a token has the form of a custom token: a service account is issuer and subject, and there is a uid.
    ///
    /// In ID tokens `sub` is the user. This recognizes a custom token with a wrong `aud`, so that the `aud` is reported.
    private static func isSelfIssued(_ payload: JSON) -> Bool {
        guard let issuer = payload["iss"]?.string, payload["uid"]?.string != nil else { return false }
        return issuer.contains("@") && payload["sub"] == .string(issuer)
    }
}

/// The reasons for which Firebase, or this server, would refuse a token, as sentences.
///
/// Audience and issuer are not compared with those of a deployment, because `inspect` does not know the deployment. The
/// audience of a custom token is the same for all deployments.
enum TokenRules {
    static func findings(_ kind: TokenKind, _ header: JWSHeader, _ claims: JSON, at now: NumericDate) -> [String] {
        times(claims, at: now)
            + {
                switch kind {
                case .customToken: customToken(header, claims)
                case .firebaseIDToken, .sessionCookie: firebase(header, claims, at: now)
                case .idToken: idToken(header, claims)
                }
            }()
    }

    private static func times(_ claims: JSON, at now: NumericDate) -> [String] {
        var findings: [String] = []
        if let expiry = seconds(claims["exp"]) {
            if expiry <= now.seconds { findings.append(expired(expiry, at: now)) }
        } else {
            findings.append("exp is missing, or is not a number")
        }
        if let issuedAt = seconds(claims["iat"]) {
            let ahead = issuedAt > now.seconds ? Counted.of(issuedAt - now.seconds, "second") : nil
            if let ahead { findings.append("it was issued in the future (by \(ahead)): a clock is wrong") }
        } else {
            findings.append("iat is missing, or is not a number")
        }
        return findings
    }

    /// The whole seconds of a time, which may have a fraction (RFC 7519 §2).
    private static func seconds(_ time: JSON?) -> Int64? {
        if case .real(let seconds)? = time { return Int64(exactly: seconds.rounded(.down)) }
        return time?.integer
    }

    private static func expired(_ expiry: Int64, at now: NumericDate) -> String {
        let (seconds, overflows) = now.seconds.subtractingReportingOverflow(expiry)
        return overflows ? "exp is too far in the past" : "it expired \(Counted.of(seconds, "second")) ago"
    }

    /// The rules of Identity Toolkit for custom tokens.
    private static func customToken(_ header: JWSHeader, _ claims: JSON) -> [String] {
        var findings: [String] = []
        if claims["aud"] != .string(CustomTokenClaims.audience) {
            findings.append("aud must be \(CustomTokenClaims.audience)")
        }
        if header.algorithm != Algorithm.rs256.rawValue { findings.append("a custom token must be signed with RS256") }
        if claims["iss"] == nil || claims["iss"] != claims["sub"] {
            findings.append("iss and sub must both be the service account's e-mail address")
        }
        if let issuedAt = claims["iat"]?.integer, let expiry = claims["exp"]?.integer,
            NumericDate(issuedAt) + .seconds(3600) < NumericDate(expiry)
        {
            findings.append("its lifetime is longer than an hour")
        }
        let uid = claims["uid"]?.string ?? ""
        if !(1...128).contains(uid.utf16.count) { findings.append("uid must have 1 to 128 characters") }
        if let developerClaims = claims["claims"] {
            guard let members = developerClaims.object else { return findings + ["claims must be an object"] }
            do {
                _ = try DeveloperClaims(members)
            } catch {
                findings.append(sentence(error))
            }
        }
        return findings
    }

    private static func sentence(_ error: MintingError) -> String {
        switch error {
        case .reservedClaim(let name): "the claim \(name) is reserved by Firebase"
        case .claimsTooLarge(let bytes): "claims have \(bytes) bytes; at most 1000 are allowed"
        default: "claims are refused by Firebase"
        }
    }

    private static func firebase(_ header: JWSHeader, _ claims: JSON, at now: NumericDate) -> [String] {
        var findings: [String] = []
        if header.algorithm != Algorithm.rs256.rawValue {
            findings.append("alg must be RS256, with which Firebase signs")
        }
        if header.keyID == nil { findings.append("kid is missing") }
        let project = claims["iss"]?.string?.split(separator: "/").last.map(String.init)
        if project == nil || claims["aud"]?.string != project { findings.append("aud is not the project of iss") }
        let subject = claims["sub"]?.string ?? ""
        if !(1...128).contains(subject.utf16.count) { findings.append("sub must be a uid of 1 to 128 characters") }
        if let time = claims["auth_time"]?.integer {
            if time > now.seconds { findings.append("auth_time is in the future") }
        } else {
            findings.append("auth_time is missing")
        }
        return findings
    }

    /// Checks the claims of an ID token (OpenID Connect Core §2).
    private static func idToken(_ header: JWSHeader, _ claims: JSON) -> [String] {
        var findings: [String] = []
        if Algorithm(rawValue: header.algorithm) == nil {
            findings.append("alg is none of \(Algorithm.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        for name in ["iss", "sub", "aud"] where claims[name] == nil {
            findings.append("\(name) is missing")
        }
        if claims["nonce"] == nil { findings.append("nonce is missing, so nothing binds the token to a sign-in") }
        return findings
    }
}

/// Formats a claim for reading: times include the date.
enum ClaimText {
    /// The times since 1970 that RFC 3339 can represent: up to the end of the year 9999.
    private static let years: ClosedRange<Int64> = 0...253_402_300_799

    static func of(_ value: JSON, named name: String) -> String {
        switch value {
        case .string(let text): text
        case .integer(let seconds)
        where ["exp", "iat", "nbf", "auth_time"].contains(name) && years.contains(seconds):
            "\(seconds) (\(Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)))"
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .bool(let isTrue): "\(isTrue)"
        case .null: "null"
        case .array, .object: String(decoding: value.serialized(), as: UTF8.self)
        }
    }
}
