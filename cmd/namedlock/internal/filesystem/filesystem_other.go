//go:build !linux

package filesystem

// Of knows nothing where no system is asked.
func Of(string) (string, Kind) { return "not known on this system", Unknown }
