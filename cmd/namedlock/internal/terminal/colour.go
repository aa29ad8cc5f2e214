package terminal

import "os"

// The colours that are used, as SGR codes.
const (
	Red    = "31"
	Green  = "32"
	Yellow = "33"
)

// Coloured returns the text in a colour where the file is a terminal, unless the environment says that nobody wants that.
func Coloured(file any, colour, text string) string {
	if !Is(file) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return text
	}
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
