package sqlite

import "testing"

// SettingsOf reads settings of a connection that an opened repository uses.
func SettingsOf(t *testing.T, r *Repository) func(setting string) string {
	return func(setting string) (value string) {
		t.Helper()
		if err := r.opened.QueryRow("PRAGMA " + setting).Scan(&value); err != nil {
			t.Fatal(err)
		}
		return value
	}
}
