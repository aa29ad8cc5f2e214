//go:build unix

package main

import (
	"net"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
)

// gate stands before a Postgres server and lets nothing through while it is shut.
type gate struct {
	listener net.Listener
	server   string
	// passed counts the connections, and held what is held up.
	passed, held atomic.Int32

	mu   sync.Mutex
	shut chan struct{}
}

// behindGate returns the world as it is seen through a gate.
func behindGate(w world) (world, *gate) {
	w.Helper()
	target, err := url.Parse(w.store)
	if err != nil {
		w.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	g := &gate{listener: listener, server: target.Host}
	w.Cleanup(func() {
		_ = listener.Close()
		g.open()
	})
	go g.accept(w.T)
	target.Host = listener.Addr().String()
	w.store = target.String()
	return w, g
}

func (g *gate) accept(t *testing.T) {
	for {
		near, err := g.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", g.server)
		if err != nil {
			t.Error(err)
			return
		}
		g.passed.Add(1)
		go g.carry(far, near)
		go g.carry(near, far)
	}
}

// carry carries what comes, and holds it up while the gate is shut.
func (g *gate) carry(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 4096)
	for {
		n, err := from.Read(buffer)
		if shut := g.barrier(); shut != nil {
			g.held.Add(1)
			<-shut
		}
		if _, failed := to.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
	}
}

func (g *gate) barrier() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.shut
}

// close holds up all that comes from now on.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = make(chan struct{})
}

// open lets everything through.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.shut != nil {
		close(g.shut)
		g.shut = nil
	}
}
