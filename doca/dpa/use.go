package dpa

import (
	"runtime"

	"github.com/go-doca/go-doca/doca"
	gen "github.com/go-doca/go-doca/generated/dpa"
)

// UseThread calls f with DOCA's object of a thread, for packages that bind what wakes threads. op names the operation in errors. Nothing else uses the
// DPA or closes the thread during the call, and f must not use this package. Make the thread an owner of what keeps the object. UseThread
// returns ErrInvalidValue if t is nil or a zero value or f is nil, [ErrFatal], a [*doca.StateError] if t is closed, and the error of f.
func UseThread(t *Thread, op string, f func(*gen.Thread) error) error {
	if t == nil || t.o == nil {
		return noThread(op)
	}
	defer runtime.KeepAlive(t)
	return useObject(t.o, op, f)
}

// UseCompletion is [UseThread] for a completion.
func UseCompletion(q *Completion, op string, f func(*gen.Completion) error) error {
	if q == nil || q.o == nil {
		return noCompletion(op)
	}
	defer runtime.KeepAlive(q)
	return useObject(q.o, op, f)
}

func useObject[R comparable](o *object[R], op string, f func(R) error) error {
	if f == nil {
		return fail(op, o.name, doca.ErrInvalidValue, "the function is nil")
	}
	return o.use(op, f)
}
