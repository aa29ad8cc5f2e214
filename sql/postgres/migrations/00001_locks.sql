-- +goose Up

-- The numbers of the grants. One sequence for all names: numbers never come again when rows are removed.
CREATE SEQUENCE namedlock.tokens AS bigint MINVALUE 1 NO CYCLE;

-- One row for each lock that is held, or was held last and lapsed. Renewal changes only the deadline, and no index stands
-- on it, so that it can stay on its page; the room for that is left by the fill factor.
CREATE TABLE namedlock.locks (
    name        text COLLATE "C" NOT NULL PRIMARY KEY,
    owner       text COLLATE "C" NOT NULL,
    token       bigint           NOT NULL,
    claim       bigint           NOT NULL,
    acquired_at timestamptz      NOT NULL,
    deadline    timestamptz      NOT NULL,
    CONSTRAINT name_is_not_blank CHECK (btrim(name, E'\t\n\u000B\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000') <> ''),
    CONSTRAINT name_is_at_most_255_bytes CHECK (octet_length(name) <= 255),
    CONSTRAINT name_is_not_reserved CHECK (left(name, 10) <> 'namedlock:'),
    CONSTRAINT owner_is_not_blank CHECK (btrim(owner, E'\t\n\u000B\f\r \u0085\u00A0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200A\u2028\u2029\u202F\u205F\u3000') <> ''),
    CONSTRAINT owner_is_at_most_255_bytes CHECK (octet_length(owner) <= 255),
    CONSTRAINT token_is_positive CHECK (token > 0),
    CONSTRAINT instants_are_finite CHECK (isfinite(acquired_at) AND isfinite(deadline))
) WITH (fillfactor = 70);

-- +goose Down
DROP TABLE namedlock.locks;
DROP SEQUENCE namedlock.tokens;
