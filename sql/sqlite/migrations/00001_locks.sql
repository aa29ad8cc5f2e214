-- +goose Up

-- One row for each lock that is held, or was held last and lapsed. AUTOINCREMENT gives the numbers of the grants: they
-- never come again when rows are removed. Instants are microseconds since 1970.
CREATE TABLE namedlock_locks (
    token       INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL UNIQUE,
    owner       TEXT    NOT NULL,
    claim       INTEGER NOT NULL,
    acquired_at INTEGER NOT NULL,
    deadline    INTEGER NOT NULL,
    CONSTRAINT name_is_not_blank CHECK (trim(name, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)) <> ''),
    CONSTRAINT name_is_at_most_255_bytes CHECK (length(CAST(name AS BLOB)) <= 255),
    CONSTRAINT name_is_not_reserved CHECK (substr(name, 1, 10) <> 'namedlock:'),
    CONSTRAINT name_holds_no_nul CHECK (instr(name, char(0)) = 0),
    CONSTRAINT owner_is_not_blank CHECK (trim(owner, char(9, 10, 11, 12, 13, 32, 133, 160, 5760, 8192, 8193, 8194, 8195, 8196, 8197, 8198, 8199, 8200, 8201, 8202, 8232, 8233, 8239, 8287, 12288)) <> ''),
    CONSTRAINT owner_is_at_most_255_bytes CHECK (length(CAST(owner AS BLOB)) <= 255),
    CONSTRAINT owner_holds_no_nul CHECK (instr(owner, char(0)) = 0),
    CONSTRAINT token_is_positive CHECK (token > 0)
) STRICT;

-- +goose Down
DROP TABLE namedlock_locks;
