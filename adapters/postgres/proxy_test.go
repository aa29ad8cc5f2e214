package postgres_test

import (
	"bytes"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// proxy stands between a pool and the server and does what networks do.
type proxy struct {
	listener net.Listener
	server   string

	mu    sync.Mutex
	conns map[net.Conn]struct{}
	// lag is how long each piece of data takes on its way; frozen holds all of it up until it is closed.
	lag    time.Duration
	frozen chan struct{}
	down   bool
	// disguised gives each session another number than the server's, as a pooler does.
	disguised bool
}

// newProxy returns a proxy before the server, and the connection string that leads through it.
func newProxy(t testing.TB, parameters ...string) (*proxy, string) {
	t.Helper()
	target, err := url.Parse(server(t, parameters...))
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{listener: listener, server: target.Host, conns: map[net.Conn]struct{}{}}
	t.Cleanup(func() {
		_ = listener.Close()
		p.thaw()
		p.cut()
	})
	go p.accept()
	target.Host = listener.Addr().String()
	return p, target.String()
}

// poolThrough returns a pool that connects by the connection string.
func poolThrough(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

func (p *proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		server, err := net.Dial("tcp", p.server)
		if err != nil || !p.keep(client, server) {
			_ = client.Close()
			continue
		}
		go p.carry(server, client, false)
		go p.carry(client, server, true)
	}
}

// keep remembers the two ends of a connection, unless the network is down.
func (p *proxy) keep(ends ...net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, end := range ends {
		if p.down {
			_ = end.Close()
		}
		p.conns[end] = struct{}{}
	}
	return !p.down
}

// carry copies what comes from one end to the other.
func (p *proxy) carry(to, from net.Conn, fromServer bool) {
	defer to.Close()
	defer from.Close()
	piece := make([]byte, 64<<10)
	for {
		n, err := from.Read(piece)
		p.delay()
		if fromServer {
			p.disguise(piece[:n])
		}
		if _, failed := io.Copy(to, bytes.NewReader(piece[:n])); failed != nil || err != nil {
			return
		}
	}
}

// delay holds a piece up.
func (p *proxy) delay() {
	p.mu.Lock()
	lag, frozen := p.lag, p.frozen
	p.mu.Unlock()
	time.Sleep(lag) // what is simulated is time that passes
	if frozen != nil {
		<-frozen
	}
}

// disguise changes the number of the session in the message that tells it.
func (p *proxy) disguise(piece []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if at := bytes.Index(piece, []byte("K\x00\x00\x00\x0c")); p.disguised && at >= 0 {
		piece[at+8] ^= 1
	}
}

// slow gives each piece that lag from now on.
func (p *proxy) slow(lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lag = lag
}

// freeze holds up everything and closes nothing, until thaw.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen == nil {
		p.frozen = make(chan struct{})
	}
}

func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.frozen != nil {
		close(p.frozen)
		p.frozen = nil
	}
}

// cut closes every connection.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		_ = conn.Close()
	}
	clear(p.conns)
}

// goDown cuts every connection and lets no other come up until comeBack.
func (p *proxy) goDown() {
	p.mu.Lock()
	p.down = true
	p.mu.Unlock()
	p.cut()
}

func (p *proxy) comeBack() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.down = false
}

// named returns the connection string with another name for its sessions.
func named(url, application string) string {
	separator := "?"
	if strings.Contains(url, "?") {
		separator = "&"
	}
	return url + separator + "application_name=" + application
}
