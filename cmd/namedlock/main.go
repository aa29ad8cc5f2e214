// Command namedlock runs a program while it holds a named lock, so that of all copies started anywhere only one runs:
//
//	namedlock run reports/nightly --store postgres://app@db/app -- ./make-reports --all
//
// The lock is a lease that is kept for as long as the program runs. If it cannot be kept, the program is ended before
// somebody else can get the lock, as far as signals can do that. See namedlock run --help for the stores and exit codes.
package main

import "os"

func main() { os.Exit(execute(os.Args[1:], os.Stderr)) }
