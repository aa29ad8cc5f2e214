package specs

import (
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/alkstore/namedlock/adapters/sqlite"
	"github.com/alkstore/namedlock/domain"
	"github.com/alkstore/namedlock/ports"
)

// serveRival carries out the requests that come in, many at a time, until no more can come.
func serveRival(in io.Reader, out io.Writer) {
	s := server{replies: json.NewEncoder(out), files: map[string]*file{}, cancels: map[int64]context.CancelFunc{}}
	for requests := json.NewDecoder(in); ; {
		var m message
		if requests.Decode(&m) != nil {
			return
		}
		s.take(m)
	}
}

// server is the other process, seen from inside.
type server struct {
	mu      sync.Mutex
	replies *json.Encoder
	files   map[string]*file
	cancels map[int64]context.CancelFunc
}

// file is an open SQLite file and the clock by which it is judged, which shows the latest time that came in.
type file struct {
	ports.Repository
	latest
}

// take begins a request, or ends the context of one that is under way.
func (s *server) take(m message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.Method == "cancel" {
		if cancel := s.cancels[m.ID]; cancel != nil {
			cancel()
		}
		return
	}
	ctx, cancel := contextUntil(m.Until)
	s.cancels[m.ID] = cancel
	go func() {
		defer cancel()
		s.tell(s.answer(ctx, m))
	}()
}

func contextUntil(until time.Time) (context.Context, context.CancelFunc) {
	if until.IsZero() {
		return context.WithCancel(context.Background())
	}
	return context.WithDeadline(context.Background(), until)
}

func (s *server) tell(answer reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.cancels, answer.ID)
	_ = s.replies.Encode(answer)
}

// answer carries out a request.
func (s *server) answer(ctx context.Context, m message) reply {
	file, err := s.open(m.Path)
	if err != nil {
		return reply{ID: m.ID, Failure: failureOf(err)}
	}
	file.raise(m.Now)
	answer, err := answerFrom(ctx, file.Repository, m)
	answer.ID, answer.Failure = m.ID, failureOf(err)
	return answer
}

// open returns the file at path, opened at the first request for it.
func (s *server) open(path string) (*file, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.files[path]; known != nil {
		return known, nil
	}
	opened := &file{}
	repo, err := sqlite.Open(context.Background(), path, &opened.latest)
	if err != nil {
		return nil, err
	}
	opened.Repository = repo
	s.files[path] = opened
	return opened, nil
}

// answerFrom asks the repository.
func answerFrom(ctx context.Context, repo ports.Repository, m message) (answer reply, err error) {
	switch m.Method {
	case "acquire":
		return verdictReply(repo.Acquire(ctx, m.claim()))
	case "renew":
		return verdictReply(repo.Renew(ctx, m.grant(), m.ttl()))
	case "release":
		answer.Yes, err = repo.Release(ctx, m.grant())
	case "withdraw":
		answer.Yes, err = repo.Withdraw(ctx, m.claim())
	case "find":
		sighting, err := repo.Find(ctx, m.name())
		return reply{Rows: []row{rowOf(sighting.Lock, sighting.At)}}, err
	case "list":
		return list(ctx, repo, m)
	case "break":
		answer.Yes, err = repo.Break(ctx, m.name(), m.Token)
	case "purge":
		purged, err := repo.Purge(ctx, m.age(), m.page())
		return reply{Removed: purged.Removed, Last: purged.Last.String()}, err
	case "close":
		err = repo.Close()
	}
	return answer, err
}

func verdictReply(verdict domain.Verdict, err error) (reply, error) {
	return reply{Granted: verdict.Granted, Rows: []row{rowOf(verdict.Lock, verdict.At)}}, err
}

func list(ctx context.Context, repo ports.Repository, m message) (answer reply, err error) {
	prefix, err := domain.NewPrefix(m.Name)
	if err != nil {
		return answer, err
	}
	sightings, err := repo.List(ctx, prefix, m.page())
	for _, sighting := range sightings {
		answer.Rows = append(answer.Rows, rowOf(sighting.Lock, sighting.At))
	}
	return answer, err
}

// latest is a clock that shows the latest time it was told.
type latest struct {
	mu  sync.Mutex
	now time.Time
}

func (l *latest) Now() time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.now
}

func (l *latest) raise(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.After(l.now) {
		l.now = now
	}
}
