// Package domain holds the rules of a named lock. It is pure: no I/O, no clock, no context. Every rule is a function of
// the lock that stands and an instant, so that each can be read, and tested, on its own.
//
// # Words
//
//   - [Name] is what is locked, [Owner] is who asks, [TTL] is for how long.
//   - A deadline is the first instant at which a lock is no longer held; the lock lapses there, in silence.
//   - A grant is one uninterrupted holding, from acquire to release or lapse. [Token] is its number: a later grant of
//     the same name always has a larger one. [Grant] is its identity.
//   - An incumbent is the lock that stood in the way of a refused acquire.
//
// # A lock's life
//
//	         Acquire            Renew
//	(none) ──────────▶  live  ◀──────┐
//	  ▲                  │  └────────┘
//	  │ Release, Break   │ the deadline passes: no event, the row stays
//	  ├──────────────────┤
//	  │ Release, Break,  ▼
//	  └─ Purge ────── lapsed ──▶ live again, for the next asker, under a larger token
//
// # Where each rule stands
//
// The instant at which a lock stops being held is decided once, in [Lock.LiveAt]. [Acquire], [Renew], [Releases],
// [Breaks], [Withdraws] and [Purges] are the decisions on top of it. The memory adapter calls them; the SQL of the other
// adapters repeats them in a WHERE clause, and the contract suite in specs holds it to the functions here.
package domain
