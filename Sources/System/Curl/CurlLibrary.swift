internal import CCurl

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The C library, which is initialized once per process and checked for required features.
enum CurlLibrary {
    /// The oldest tested release.
    ///
    /// The options `CURLOPT_PROTOCOLS_STR` and `CURLOPT_QUICK_EXIT` exist since earlier releases.
    private static let oldestVersion: UInt32 = 0x07_58_01

    private static let outcome: Result<Void, CurlError> = initialize()

    /// Initializes the library at the first call.
    static func start() throws(CurlError) {
        try outcome.get()
    }

    private static func initialize() -> Result<Void, CurlError> {
        // libcurl's OpenSSL backend opens the file that SSLKEYLOGFILE names while it is initialized, and from then on
        // writes the keys of every connection to it. No option prevents this, so the variable must be removed before.
        unsafe unsetenv("SSLKEYLOGFILE")

        // curl_global_init(3): "must be called at least once within a program […] before the program calls any other
        // function in libcurl". The check below requires CURL_VERSION_THREADSAFE, with which any thread may make this call.
        guard curl_global_init_default() == CURLE_OK else { return .failure(.initializationFailed) }
        guard let information = unsafe curl_version_info_now() else {
            return .failure(.initializationFailed)
        }
        let version = unsafe String(cString: information.pointee.version)
        guard unsafe information.pointee.version_num >= oldestVersion else {
            return .failure(.unsuitableLibrary(version: version, missing: "a release from 7.88.1 on"))
        }
        for (name, bit) in neededFeatures where unsafe information.pointee.features & bit == 0 {
            return .failure(.unsuitableLibrary(version: version, missing: name))
        }
        return .success(())
    }

    private static let neededFeatures: [(name: String, bit: Int32)] = [
        ("SSL", CURL_VERSION_SSL),
        ("HTTP2", CURL_VERSION_HTTP2),
        // Without this feature a name lookup blocks every call, and no timeout ends the lookup (CURLOPT_NOSIGNAL(3)).
        ("AsynchDNS", Int32(CURL_VERSION_ASYNCHDNS)),
        ("threadsafe", CURL_VERSION_THREADSAFE),
    ]
}
