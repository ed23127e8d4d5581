#pragma once
#include <libpq-fe.h>

// These are character constants, which Swift does not import.
static inline int tx_pg_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int tx_pg_diag_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
