// Package specs is the contract of a named lock, as specs that any store can be held to.
package specs
