#pragma once
#include <libpq-fe.h>

// PG_DIAG_SQLSTATE is a character constant, which Swift does not import.
static inline int tx_pg_diag_sqlstate(void) { return PG_DIAG_SQLSTATE; }
