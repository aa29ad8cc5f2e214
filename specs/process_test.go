package specs

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"

	. "github.com/onsi/gomega"
)

// rivalProcess in the environment makes this program serve the repositories of another process instead of testing.
const rivalProcess = "NAMEDLOCK_SPECS_RIVAL"

func TestMain(m *testing.M) {
	if os.Getenv(rivalProcess) != "" {
		serveRival(os.Stdin, os.Stdout)
		return
	}
	os.Exit(m.Run())
}

// rival is the one other process of this suite, started when it is first needed. It ends when this process does, because
// its input ends then.
var rival = sync.OnceValue(startRival)

// process is the other process, seen from here.
type process struct {
	mu      sync.Mutex
	out     *json.Encoder
	last    int64
	pending map[int64]chan reply
	ended   bool
}

func startRival() *process {
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), rivalProcess+"=1")
	command.Stderr = os.Stderr
	in := valid(command.StdinPipe())
	out := valid(command.StdoutPipe())
	Expect(command.Start()).To(Succeed())
	p := &process{out: json.NewEncoder(in), pending: map[int64]chan reply{}}
	go p.hear(out)
	return p
}

// hear passes each reply on to the call that waits for it, until the other process has ended.
func (p *process) hear(from io.Reader) {
	for replies := json.NewDecoder(from); ; {
		var reply reply
		if err := replies.Decode(&reply); err != nil {
			p.end()
			return
		}
		p.mu.Lock()
		waiting := p.pending[reply.ID]
		delete(p.pending, reply.ID)
		p.mu.Unlock()
		waiting <- reply
	}
}

// end lets every call fail that waits for a reply.
func (p *process) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	for id, waiting := range p.pending {
		waiting <- reply{ID: id, Failure: &failure{Text: "the other process has ended"}}
	}
	p.pending = nil
}

// call sends a request and waits for the reply. When ctx ends, it tells the other process and goes on waiting: the answer
// is still that of the repository there.
func (p *process) call(ctx context.Context, request message) reply {
	waiting := p.send(&request)
	select {
	case reply := <-waiting:
		return reply
	case <-ctx.Done():
		p.tell(message{ID: request.ID, Method: "cancel"})
		return <-waiting
	}
}

// send gives the request a number and sends it.
func (p *process) send(request *message) <-chan reply {
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting := make(chan reply, 1)
	p.last++
	request.ID = p.last
	if p.ended || p.out.Encode(request) != nil {
		waiting <- reply{Failure: &failure{Text: "the other process has ended"}}
		return waiting
	}
	p.pending[request.ID] = waiting
	return waiting
}

// tell sends what no reply comes to.
func (p *process) tell(request message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.out.Encode(request)
}
