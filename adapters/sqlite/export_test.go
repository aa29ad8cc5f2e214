package sqlite

import "database/sql"

// Pool returns the connections that a repository uses.
func Pool(r *Repository) *sql.DB { return r.db }
