extension MetricFamily {
    /// All families of `/metrics`, in its order.
    ///
    /// Labels come from fixed lists (endpoints, reasons, configured providers), so that a request cannot create new series.
    package static let all: [MetricFamily] = requests + peers + store + signing + process

    private static let requests = [
        MetricFamily(
            "token_exchange_requests_total", .counter, "Requests to the public listener, by the reason of a refusal."),
        MetricFamily(
            "token_exchange_request_seconds", .histogram(latencies), "Time from a request's head to its response."),
        MetricFamily(
            "token_exchange_requests_in_flight", .gauge,
            "Requests until the last octet of their response is sent, without those whose body is being received."),
        MetricFamily("token_exchange_requests_receiving", .gauge, "Requests whose body is being received."),
        MetricFamily("token_exchange_signins_total", .counter, "Successful sign-ins."),
        MetricFamily(
            "token_exchange_provider_events_total", .counter, "Accepted messages of providers, by what happened there."),
        MetricFamily(
            "token_exchange_accept_pauses_total", .counter,
            "Times that a listener paused because no file descriptor was left."),
        MetricFamily(
            "token_exchange_refused_connections_total", .counter,
            "Connections that began in another way than their listener requires, such as without the PROXY protocol or TLS, "
                + "or ended at a malformed frame of HTTP/2 or because the client does not accept the certificate."
        ),
        MetricFamily(
            "token_exchange_given_way_total", .counter,
            "Connections and streams that waited for their clients and were closed for newer ones."),
    ]

    private static let peers = [
        MetricFamily(
            "token_exchange_peer_calls_total", .counter,
            "Calls to providers, Google and hooks; outcome is the HTTP status, or why there was no response."),
        MetricFamily(
            "token_exchange_peer_call_seconds", .histogram(latencies),
            "Time of these calls, with the wait in the queue."),
        MetricFamily("token_exchange_paid_calls_total", .counter, "Calls that a provider charges for."),
        MetricFamily(
            "token_exchange_profile_refusals_total", .counter,
            "Profile requests that a provider refused permanently; the user was signed in without that part."),
        MetricFamily(
            "token_exchange_key_set_expires_timestamp_seconds", .gauge,
            "Time until which the cached keys of a provider may be used if no newer ones can be fetched."),
    ]

    private static let store = [
        MetricFamily(
            "token_exchange_store_seconds", .histogram(latencies), "Time that callers waited for a call to the store."),
        MetricFamily(
            "token_exchange_store_commit_jobs", .histogram([1, 2, 4, 8, 16, 32, 64, 128, 256]),
            "Calls that one commit of SQLite made durable."),
        MetricFamily("token_exchange_store_waiting", .gauge, "Calls that wait for the store."),
        MetricFamily("token_exchange_spent_rows", .gauge, "Records of used credentials, counted every ten minutes."),
        MetricFamily("token_exchange_swept_rows_total", .counter, "Expired rows that this process deleted."),
        MetricFamily(
            "token_exchange_watched_until_timestamp_seconds", .gauge, "Time until which the store has watched."),
        MetricFamily(
            "token_exchange_swept_through_timestamp_seconds", .gauge,
            "Expiry up to which records were deleted, one hour before now if nothing fails."),
    ]

    private static let signing = [
        MetricFamily(
            "token_exchange_signature_seconds", .histogram(latencies),
            "Time of a signature, with the wait for another process or for Google.")
    ]

    private static let process = [
        MetricFamily(
            "token_exchange_configuration_not_reloaded", .gauge,
            "1 if the last reload failed, so that an older configuration is in force."),
        MetricFamily(
            "token_exchange_certificate_expires_timestamp_seconds", .gauge,
            "End of the validity of the certificate of the public listener."),
        MetricFamily(
            "token_exchange_key_files_lost", .gauge,
            "1 if a key file beside the database is missing, unreadable or another one than the server uses."),
        MetricFamily(
            "token_exchange_log_lines_dropped_total", .counter, "Lines that were lost because a queue was full."),
        MetricFamily(
            "token_exchange_audit_lines_lost_total", .counter,
            "Lines of the audit trail that the store never got, because it did not respond for too long."),
        MetricFamily("token_exchange_audit_lines_waiting", .gauge, "Lines of the audit trail that wait for the store."),
        MetricFamily("token_exchange_build_info", .gauge, "Always 1; the label is the version of the program."),
        MetricFamily("process_start_time_seconds", .gauge, "Start time of the process since the epoch."),
        MetricFamily("process_cpu_seconds_total", .counter, "Processor time of the process, user and system."),
        MetricFamily("process_resident_memory_bytes", .gauge, "Resident memory of the process."),
        MetricFamily("process_open_fds", .gauge, "Open file descriptors."),
        MetricFamily("process_max_fds", .gauge, "Maximum number of open file descriptors."),
    ]

    /// Upper bounds in seconds: from a lookup in memory to the longest timeout.
    private static let latencies = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
}
