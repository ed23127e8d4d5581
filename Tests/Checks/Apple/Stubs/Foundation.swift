// What TokenExchangeClient uses of Foundation and ObjectiveC, with the versions of the systems that have it.

public typealias TimeInterval = Double

public protocol NSObjectProtocol: AnyObject {}

open class NSObject: NSObjectProtocol, Hashable {
    public init() {}
    public static func == (left: NSObject, right: NSObject) -> Bool { fatalError() }
    public func hash(into hasher: inout Hasher) {}
}

public struct Data: Sendable, Hashable, RandomAccessCollection {
    public init() {}
    public init<Octets: Sequence>(_ octets: Octets) where Octets.Element == UInt8 {}
    public var startIndex: Int { 0 }
    public var endIndex: Int { 0 }
    public subscript(index: Int) -> UInt8 { 0 }
    public func base64EncodedString() -> String { "" }
}

public struct Date: Sendable, Hashable {
    public init(timeIntervalSince1970: TimeInterval) {}
    public var timeIntervalSince1970: TimeInterval { 0 }
}

// MARK: - URLs

public struct URL: Sendable, Hashable {
    public init?(string: String) {}
    public init(fileURLWithPath: String) {}
    public var absoluteString: String { "" }
    public var scheme: String? { nil }
    public var host: String? { nil }
}

public struct URLQueryItem: Sendable, Hashable {
    public var name: String { "" }
    public var value: String? { nil }
}

public struct URLComponents: Sendable, Hashable {
    public init?(url: URL, resolvingAgainstBaseURL: Bool) {}
    public init?(string: String) {}
    public var scheme: String? { nil }
    public var host: String? { nil }
    public var port: Int? { nil }
    public var path: String { "" }
    public var query: String? { nil }
    public var fragment: String? { nil }
    public var percentEncodedQueryItems: [URLQueryItem]? { nil }
}

public struct URLRequest: Sendable, Hashable {
    public init(url: URL) {}
    public var url: URL?
    public var httpMethod: String?
    public var httpBody: Data?
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {}
}

open class URLResponse: NSObject, @unchecked Sendable {}

open class HTTPURLResponse: URLResponse, @unchecked Sendable {
    public var statusCode: Int { 0 }
    public func value(forHTTPHeaderField field: String) -> String? { nil }
}

open class URLCache: NSObject, @unchecked Sendable {}
open class OperationQueue: NSObject, @unchecked Sendable {}
open class URLSessionTask: NSObject, @unchecked Sendable {}

open class URLSessionConfiguration: NSObject, @unchecked Sendable {
    open class var ephemeral: URLSessionConfiguration { fatalError() }
    open var httpShouldSetCookies = true
    open var urlCache: URLCache?
}

public protocol URLSessionDelegate: NSObjectProtocol, Sendable {}

public protocol URLSessionTaskDelegate: URLSessionDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void)
}

open class URLSession: NSObject, @unchecked Sendable {
    public init(
        configuration: URLSessionConfiguration, delegate: (any URLSessionDelegate)?, delegateQueue: OperationQueue?
    ) {}
    @available(iOS 15, macOS 12, tvOS 15, watchOS 8, *)
    public func data(
        for request: URLRequest, delegate: (any URLSessionTaskDelegate)? = nil
    ) async throws -> (Data, URLResponse) { fatalError() }
}

// MARK: - Errors

public protocol LocalizedError: Error {
    var errorDescription: String? { get }
    var failureReason: String? { get }
    var recoverySuggestion: String? { get }
    var helpAnchor: String? { get }
}

extension LocalizedError {
    public var errorDescription: String? { nil }
    public var failureReason: String? { nil }
    public var recoverySuggestion: String? { nil }
    public var helpAnchor: String? { nil }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
public let NSLocalizedFailureReasonErrorKey = ""

public protocol CustomNSError: Error {
    var errorUserInfo: [String: Any] { get }
}

extension Error {
    public var localizedDescription: String { "" }
}

public struct URLError: Error, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let cancelled = Code(rawValue: 0)
        public static let badServerResponse = Code(rawValue: 1)
    }

    public init(_ code: Code) {}
    public var code: Code { .cancelled }
}

public struct CocoaError: Error, Sendable {
    public struct Code: RawRepresentable, Hashable, Sendable {
        public let rawValue: Int
        public init(rawValue: Int) { self.rawValue = rawValue }
        public static let userCancelled = Code(rawValue: 0)
    }

    public init(_ code: Code) {}
}

// MARK: - JSON

open class JSONEncoder {
    public init() {}
    open func encode<Value: Encodable>(_ value: Value) throws -> Data { fatalError() }
}

open class JSONDecoder {
    public enum KeyDecodingStrategy: Sendable { case useDefaultKeys, convertFromSnakeCase }

    public init() {}
    open var keyDecodingStrategy = KeyDecodingStrategy.useDefaultKeys
    open func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value { fatalError() }
}

open class JSONSerialization: NSObject {
    public struct ReadingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
    }

    public struct WritingOptions: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        public static let sortedKeys = WritingOptions(rawValue: 1)
    }

    open class func jsonObject(with data: Data, options: ReadingOptions = []) throws -> Any { fatalError() }
    open class func data(withJSONObject object: Any, options: WritingOptions = []) throws -> Data { fatalError() }
}

// MARK: - Texts

public struct CharacterSet: Sendable, Hashable {
    public static var whitespaces: CharacterSet { fatalError() }
}

public struct StringComparison: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
}

extension StringProtocol {
    public func replacingOccurrences<Target: StringProtocol, Replacement: StringProtocol>(
        of target: Target, with replacement: Replacement, options: StringComparison = [],
        range: Range<Index>? = nil
    ) -> String { "" }
    public func components<Separator: StringProtocol>(separatedBy separator: Separator) -> [String] { [] }
    public func trimmingCharacters(in set: CharacterSet) -> String { "" }
    public func range<Other: StringProtocol>(of other: Other, options: StringComparison = []) -> Range<Index>? { nil }
    public var removingPercentEncoding: String? { nil }
}

// MARK: - Processes

#if os(macOS)
    open class FileHandle: NSObject, @unchecked Sendable {
        open class var nullDevice: FileHandle { fatalError() }
    }

    open class Process: NSObject, @unchecked Sendable {
        open var executableURL: URL?
        open var arguments: [String]?
        open var standardOutput: Any?
        open var standardError: Any?
        open var terminationHandler: (@Sendable (Process) -> Void)?
        open var terminationStatus: Int32 { 0 }
        open func run() throws {}
    }
#endif
