/// What may stand behind the question mark of a libpq URI (PostgreSQL manual, "Parameter Key Words", and `ssl`).
enum PostgresKeyword {
    static let all = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname",
        "fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr", "keepalives",
        "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "load_balance_hosts", "options",
        "passfile", "password", "port", "require_auth", "requirepeer", "service", "ssl", "ssl_max_protocol_version",
        "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression", "sslcrl", "sslcrldir", "sslkey",
        "sslmode", "sslnegotiation", "sslpassword", "sslrootcert", "sslsni", "target_session_attrs",
        "tcp_user_timeout", "user",
    ]
}
