package postgres

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"

	"github.com/alkstore/namedlock/adapters/postgres/internal/postgresdb"
	"github.com/alkstore/namedlock/domain"
)

const (
	// askBound is how long the server may take to answer a listener.
	askBound = 10 * time.Second
	// heartbeat is how often a listener that hears nothing asks whether the server is still there.
	heartbeat = 30 * time.Second
	// retry is how soon a name is announced again, and those who wait for it told to ask, while somebody is just removing
	// its row.
	retry = 100 * time.Millisecond
	// mostAnnounced is how many names are announced at most: each takes room in the server's table of locks. Those who wait
	// for others are told to ask each time that an announcement is tried again.
	mostAnnounced = 256
)

// session is the conversation of a listener with the server on one connection.
type session struct {
	*listener
	conn    *pgx.Conn
	queries *postgresdb.Queries
	// announced are the names for which the server knows that somebody waits.
	announced map[domain.Name]struct{}
}

// listening adapts the settings of a pool's connection to one that can be interrupted while it listens.
func listening(config *pgx.ConnConfig) *pgx.ConnConfig {
	config.OnNotification = nil
	config.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.DeadlineContextWatcherHandler{Conn: conn.Conn()}
	}
	return config
}

// begin starts to listen, unless a pooler stands between here and the server: then the session that answers is another
// one than the session that was opened, and no state may be left in it.
func (s *session) begin(ctx context.Context) (heard bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	pid, err := s.queries.ShowSession(ctx)
	if err != nil || uint32(pid) != s.conn.PgConn().PID() {
		return false, err
	}
	return true, s.queries.Listen(ctx)
}

// serve hears, and announces names as they come and go, until nobody has waited for a while.
func (s *session) serve(ctx context.Context) error {
	for {
		pending, err := s.catchUp(ctx)
		if err != nil {
			return err
		}
		s.recovered()
		if s.board.Empty() {
			if changed := s.nap(ctx, linger); !changed {
				return ctx.Err()
			}
			continue
		}
		if err := s.hear(ctx, pending); err != nil {
			return err
		}
	}
}

// recovered remembers that an outage is over.
func (l *listener) recovered() { l.warned = false }

// hear rings for what is heard, until the names change, or pending names have to be announced again.
func (s *session) hear(ctx context.Context, pending bool) error {
	bound := heartbeat
	if pending {
		bound = retry
	}
	var heard *pgconn.Notification
	var err error
	s.during(ctx, bound, func(listening context.Context) {
		heard, err = s.conn.WaitForNotification(listening)
	})
	switch {
	case heard != nil:
		s.board.Ring(domain.RestoreName(heard.Payload))
		return nil
	case s.conn.IsClosed() || ctx.Err() != nil:
		return err
	case pending || s.fetchChanged():
		return nil
	}
	return s.ping(ctx)
}

// ping asks whether the server is still there.
func (s *session) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	return s.conn.Ping(ctx)
}

// catchUp takes back what nobody waits for any more and announces what is new. From then on it is heard when such a name is
// removed; those who wait are told to ask once. It reports whether some names could not be announced.
func (s *session) catchUp(ctx context.Context) (pending bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, askBound)
	defer cancel()
	s.fetchChanged()
	wanted := s.board.Names()
	if err := s.takeBack(ctx, wanted); err != nil {
		return false, err
	}
	missing := s.missing(wanted)
	if len(missing) == 0 {
		return false, nil
	}
	if err := s.announce(ctx, missing); err != nil {
		return false, err
	}
	for _, name := range missing {
		s.board.Ring(name)
	}
	return len(s.missing(wanted)) > 0, nil
}

// missing returns the names that are not announced.
func (s *session) missing(wanted []domain.Name) []domain.Name {
	var missing []domain.Name
	for _, name := range wanted {
		if _, is := s.announced[name]; !is {
			missing = append(missing, name)
		}
	}
	return missing
}

// announce tells the server of as many of the names as there is room for.
func (s *session) announce(ctx context.Context, missing []domain.Name) error {
	room := min(len(missing), mostAnnounced-len(s.announced))
	if room <= 0 {
		return nil
	}
	known, err := s.queries.Announce(ctx, texts(missing[:room]))
	for _, name := range known {
		s.announced[domain.RestoreName(name)] = struct{}{}
	}
	return err
}

// takeBack tells the server what nobody waits for any more.
func (s *session) takeBack(ctx context.Context, wanted []domain.Name) error {
	still := make(map[domain.Name]struct{}, len(wanted))
	for _, name := range wanted {
		still[name] = struct{}{}
	}
	var gone []domain.Name
	for name := range s.announced {
		if _, is := still[name]; !is {
			gone = append(gone, name)
			delete(s.announced, name)
		}
	}
	if len(gone) == 0 {
		return nil
	}
	return s.queries.TakeBack(ctx, texts(gone))
}

// texts returns the names as the server takes them.
func texts(names []domain.Name) []string {
	texts := make([]string, len(names))
	for i, name := range names {
		texts[i] = name.String()
	}
	return texts
}
