//go:build !linux

package emit

func swap(_, _ string) error { return errNoExchange }

func lock(string) (unlock func(), err error) { return nil, errNoExchange }
