// Package namedlock locks names for a limited time, in a store that you already have: memory, a SQLite file, a Postgres
// database. Processes on one machine or on many agree through the store who does a piece of work; no other server is
// needed.
//
// # What is not promised
//
// A lock here is a lease. It ends when its time is up, whether or not its holder noticed.
//
//   - A holder that stalls (a long garbage collection, a stopped process, a machine asleep) can wake up after its lock
//     lapsed and go on working beside the next holder. No lock with a time limit can prevent that; [Lock.Token] lets the
//     resource itself refuse such a late writer, and [Lock.Remaining] tells a holder how much time it can count on.
//   - Nothing runs when a lock lapses, no event and no sweeper: a lapsed lock is noticed by the next who asks (L3).
//   - Clocks are believed. Postgres judges by the server's own, so hosts may disagree. SQLite and memory judge by the clock
//     of their one machine: if somebody sets it back, locks live longer, and set forward, shorter.
//   - A grant is as durable as the store. A Postgres failover that loses commits loses grants, and their tokens with them.
//   - Those who wait in one process are served in order; between processes there is no order. Locks are not reentrant beyond
//     what the same owner gets (L5), and never part of a transaction (L12).
//
// # What is promised
//
//   - While a lock is live nobody with another owner is granted its name, on any store, under any contention (L1).
//   - Being refused is an answer, an [Incumbent], and not an error; a store that cannot answer is an error and never a
//     refusal (L2).
//   - Renewing sets a full window from now and never revives a lapsed lock (L6, L7). A handle speaks for its own grant: it
//     can neither prolong nor free a later one, not even of the same owner (M1).
//   - Tokens grow with every grant of a name, for ever (M2).
//   - Work that runs under a lock hears of its loss before anybody else can have the lock, whatever the store does (M7).
//
// The rows are numbered as in docs/guarantees.md; the specs folder states each as behaviour and runs it on every store.
//
// # Use
//
// Make a [Locker] on a repository of one of the adapters and keep it for the life of the process. Let it run what only one
// may do at a time:
//
//	repo, err := sqlite.Open(ctx, "/var/lib/jobs/locks.db", ports.SystemClock{})
//	...
//	locker := namedlock.New(repo)
//	defer locker.Close()
//
//	err = locker.Do(ctx, "reports/nightly", namedlock.NewOwner(), 30*time.Second, writeReport)
//
// [Locker.Do] waits, keeps the lock by renewing it while the function runs, and gives it back. [Locker.Lead] does so term
// after term. [Locker.Lock] only waits and [Locker.TryLock] does not even that; [Lock.Keep] keeps what they brought, and
// [Lock.Renew] and [Lock.Release] do it by hand. An [Observer] hears of everything that happens to the locks.
//
// A [Locker] and its locks are safe for concurrent use.
package namedlock
