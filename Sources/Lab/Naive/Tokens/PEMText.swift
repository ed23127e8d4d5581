internal import Foundation

/// RFC 7468: base64 in lines of 64 characters between two labels.
enum PEMText {
    static func write(_ label: String, _ der: [UInt8]) -> String {
        let text = Data(der).base64EncodedString()
        var lines = ["-----BEGIN \(label)-----"]
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(String(rest.prefix(64)))
            rest = rest.dropFirst(64)
        }
        lines.append("-----END \(label)-----\n")
        return lines.joined(separator: "\n")
    }
}
