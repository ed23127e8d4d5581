internal import CCurl

extension EasyHandle {
    /// What holds for every call, whoever makes it.
    ///
    /// The scheme is the only one that is spoken; ``Target`` has allowed it.
    borrowing func setRules(scheme: String, configuration: CurlConfiguration) throws(CurlError) {
        try set(CURLOPT_PROTOCOLS_STR, scheme)
        try set(CURLOPT_REDIR_PROTOCOLS_STR, "https")
        // A redirect would carry code and secret to a place of the peer's choice.
        try set(CURLOPT_FOLLOWLOCATION, 0)
        // CURLOPT_MAXREDIRS(3): "Setting the limit to 0 will make libcurl refuse any redirect"; unlimited by default.
        try set(CURLOPT_MAXREDIRS, 0)
        try set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)

        // CURLOPT_PROXY(3): "Setting the proxy string to "" (an empty string) will explicitly disable the use of a
        // proxy, even if there is an environment variable set for it."
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))

        // CURLOPT_NOSIGNAL(3): without it, timeouts of name lookups are signals, which threads share.
        try set(CURLOPT_NOSIGNAL, 1)
        // CURLOPT_QUICK_EXIT(3): "This allows for a swift termination after a DNS timeout for example". Otherwise a call
        // that ends during its name lookup waits for the resolver's thread, and all other calls with it.
        try set(CURLOPT_QUICK_EXIT, 1)

        // HTTP/2 where TLS agrees on it, else HTTP/1.1. No Alt-Svc, no HSTS, no cookies: these stay off unless enabled.
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        try set(CURLOPT_HTTP09_ALLOWED, 0)
        // Null means: no Accept-Encoding is sent, and Content-Encoding is not undone.
        try set(CURLOPT_ACCEPT_ENCODING, nil)
        try set(CURLOPT_USERAGENT, configuration.userAgent)

        try set(CURLOPT_SSL_VERIFYPEER, 1)
        // CURLOPT_SSL_VERIFYHOST(3): when it is 2, "that certificate must indicate that the server is the server to which
        // you meant to connect, or the connection fails".
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try set(CURLOPT_CAINFO, configuration.effectiveCABundle)
        // A directory is built in too. Without it the file alone counts, and is parsed once a day, not for every
        // connection (CURLOPT_CA_CACHE_TIMEOUT(3)).
        try set(CURLOPT_CAPATH, nil)
    }

    /// What keeps a call from lasting and an answer from growing.
    borrowing func setLimits(
        within remaining: Duration, bodyBytes: Int, configuration: CurlConfiguration
    ) throws(CurlError) {
        try set(CURLOPT_TIMEOUT_MS, remaining.atLeastOneMillisecond)
        try set(CURLOPT_CONNECTTIMEOUT_MS, min(configuration.connectTimeout, remaining).atLeastOneMillisecond)
        try set(CURLOPT_LOW_SPEED_LIMIT, 100)
        try set(CURLOPT_LOW_SPEED_TIME, configuration.stallTimeout.atLeastOneSecond)
        // A declared length above it ends the call early. What is not declared, ``Reception`` counts.
        try set(CURLOPT_MAXFILESIZE_LARGE, offset: max(0, bodyBytes))
        try set(CURLOPT_MAXLIFETIME_CONN, configuration.connectionLifetime.atLeastOneSecond)
        try set(CURLOPT_MAXAGE_CONN, configuration.idleLifetime.atLeastOneSecond)
    }
}
