import FoundationEssentials

extension SandboxClient {
    static func basic(_ id: String, _ secret: String) -> String {
        "Authorization: Basic " + Data("\(id):\(secret)".utf8).base64EncodedString()
    }
}

extension SandboxClient {
    static func base64(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
}
