//go:build !unix

package sqlite_test

import "errors"

func beNobody(string) error { return errors.ErrUnsupported }
