// Package selftest holds the contract suite itself to account: its tests run the suite against stores that are broken on
// purpose, each in one way, and want a spec to fail whose title begins with the row that forbids it. A broken store that
// passes means that a spec is missing. It has nothing to import.
package selftest
