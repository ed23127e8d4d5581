internal import CCurl
internal import Transport

extension Transfer {
    /// What the caller is told.
    ///
    /// The numbers of libcurl-errors(3) end here.
    func outcome(of code: CURLcode, host: String) -> Call.Outcome {
        guard code != CURLE_OK else {
            // A connection that ends within the header is no error to libcurl 7.88.
            guard reception.headerIsComplete else { return .failure(.interrupted(host: host)) }
            let status = handle.information(CURLINFO_RESPONSE_CODE)
            return .success(OutboundResponse(status: status, header: reception.header, body: reception.body))
        }
        return .failure(failure(code, host: host))
    }

    private func failure(_ code: CURLcode, host: String) -> TransportError {
        let requestSent = reception.requestWasAnnounced
        if code == CURLE_OPERATION_TIMEDOUT { return .timedOut(host: host, requestSent: requestSent) }
        guard requestSent else {
            switch code {
            case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL, CURLE_LOGIN_DENIED:
                return .refusedURL
            case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CIPHER,
                CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
                return .untrusted(host: host)
            default:
                return .unreachable(host: host)
            }
        }
        if reception.isTooLarge { return .tooLarge(host: host) }
        switch code {
        // CURLE_OUT_OF_MEMORY is also what 7.88 says of a single header line over 100 KiB.
        case CURLE_FILESIZE_EXCEEDED, CURLE_OUT_OF_MEMORY:
            return .tooLarge(host: host)
        // CURLE_UNSUPPORTED_PROTOCOL is what it says of HTTP/0.9.
        case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
            return .notHTTP(host: host)
        default:
            return .interrupted(host: host)
        }
    }

    /// Whether the call may be made once more, on a fresh connection: one without effects at the peer (RFC 9110 §9.2.2),
    /// whose used connection died before a byte of the answer came.
    func mayStartOver(after code: CURLcode) -> Bool {
        guard call?.request.method == .get, !isSecondAttempt, !reception.answerHasBegun else { return false }
        if reception.secondRequestWasRefused { return true }
        let connectionsMade = handle.information(CURLINFO_NUM_CONNECTS)
        return connectionsMade == 0 && reception.requestWasAnnounced
            && [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM].contains(code)
    }
}
