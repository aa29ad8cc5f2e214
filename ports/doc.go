// Package ports holds the interfaces that the application needs from the outside. They are driven ports, not inbound
// handlers: package namedlock calls them and an adapter implements them.
//
// To write an adapter for another store, implement [Repository] and hold it to the contract suite in package specs. Users
// never meet these types; they hold namedlock.Locker and namedlock.Lock.
package ports
