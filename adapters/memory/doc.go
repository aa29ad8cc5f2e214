// Package memory keeps locks in the memory of one process. It calls the rules of package domain directly, which makes it
// the reference that the other adapters are held to, and it needs nothing: tests, single-process programs and WebAssembly
// run on it.
//
// Everything ends with the process, tokens included. A lapsed row stays until its name is acquired, its holder releases
// it, an operator breaks it, or a purge removes it (L3).
package memory
