package dpa

import "github.com/go-doca/go-doca/doca"

// Errors for the methods of nil and of zero values.

func noDPA(op string) error         { return none(op, "dpa", "dpa.New") }
func noMemory(op string) error      { return none(op, "dpa memory", "DPA.Alloc") }
func noLaunch(op string) error      { return none(op, "launch", "a function that gen dpa has written") }
func noThread(op string) error      { return none(op, "dpa thread", "DPA.NewThread") }
func noThreadGroup(op string) error { return none(op, "dpa thread group", "DPA.NewThreadGroup") }
func noCompletion(op string) error  { return none(op, "dpa completion", "DPA.NewCompletion") }
func noAsyncOps(op string) error    { return none(op, "dpa async ops", "DPA.NewAsyncOps") }
func noHashTable(op string) error   { return none(op, "dpa hash table", "DPA.NewHashTable") }
func noBufArray(op string) error    { return none(op, "dpa buffer array", "DPA.NewBufArray") }

func noNotification(op string) error {
	return none(op, "dpa notification completion", "DPA.NewNotificationCompletion")
}

func none(op, kind, maker string) error {
	return &doca.OpError{Op: op, Object: kind, Err: doca.ErrInvalidValue, Advice: "it is nil or a zero value: make one with " + maker}
}
