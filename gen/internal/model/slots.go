package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/cparse"
)

// argRoom is how many numbers a record holds. A payload takes the place of the last.
const argRoom = 3

// slots decides where each argument of a callback goes in its record. Of task_completion_cb(task, task_user_data,
// ctx_user_data) that is Object, User and Ctx; of recv_event_cb(event, recv_buffer, msg_len, connection) Payload with its
// length, and Object. Arrays, and what else has no place, follow the record.
func (b *builder) slots(fn *Func, cb *Callback, f *cparse.Type) error {
	data, err := b.dataSlots(fn, cb, f)
	if err != nil {
		return err
	}
	count := soleCount(f)
	payload, objects := false, 0
	for i, a := range f.Params {
		arg := CallbackArg{Name: fmt.Sprintf("arg%d", i), CType: SpellParam(a.Type, fmt.Sprintf("arg%d", i)), Slot: SlotArg}
		u := underlying(a.Type)
		switch {
		case data[i] != "":
			arg.Slot = data[i]
		case count >= 0 && isArrayOf(a):
			g, err := b.element(a)
			if err != nil {
				return err
			}
			arg.Slot, arg.Type, arg.Len = SlotMore, g, fmt.Sprintf("arg%d", count)
		case u.Kind == cparse.Pointer && (isByte(u.Elem) || isChar(u.Elem)):
			if payload {
				return fmt.Errorf("it has two texts, of which a record holds one")
			}
			arg.Slot, payload = SlotPayload, true
			if i+1 < len(f.Params) && isInteger(f.Params[i+1].Type) {
				arg.Len = fmt.Sprintf("arg%d", i+1)
			}
		case u.Kind == cparse.Pointer && b.isEventTag(u.Elem):
			arg.Slot = SlotNone
		case u.Kind == cparse.Pointer:
			switch objects++; objects {
			case 1:
				arg.Slot = SlotObject
				b.completes(cb, underlying(u.Elem).Name)
			case 2:
				arg.Slot = SlotPeer
			}
		}
		if arg.Slot == SlotArg {
			g, err := b.resolve(a.Type)
			if err == nil && g.Kind == Record && u.Kind != cparse.Pointer {
				err = fmt.Errorf("%s by value", g.C)
			}
			if err != nil {
				return err
			}
			arg.Type = g
		}
		cb.Args = append(cb.Args, arg)
	}
	return room(cb, f, payload)
}

// room gives the numbers their places, and a place behind the record to those for which it has none.
func room(cb *Callback, f *cparse.Type, payload bool) error {
	is := func(s Slot) func(CallbackArg) bool { return func(a CallbackArg) bool { return a.Slot == s } }
	more, numbers := slices.ContainsFunc(cb.Args, is(SlotMore)), 0
	for _, a := range cb.Args {
		if a.Slot == SlotArg {
			numbers++
		}
	}
	holds := argRoom
	if payload || more || numbers > argRoom {
		holds--
	}
	if payload && (more || numbers > holds) {
		return fmt.Errorf("it has a text and more arguments than a record holds")
	}
	used, names := 0, map[string]bool{}
	for _, counts := range []bool{true, false} { // who reads an array needs its count first
		for i := range cb.Args {
			a := &cb.Args[i]
			isCount := slices.ContainsFunc(cb.Args, func(x CallbackArg) bool { return x.Slot == SlotMore && x.Len == a.Name })
			if a.Slot != SlotArg || isCount != counts {
				continue
			}
			if used == holds {
				a.Slot = SlotMore
				continue
			}
			a.Index = used
			used++
		}
	}
	for i := range cb.Args {
		if a := &cb.Args[i]; a.Slot == SlotMore {
			a.GoName = camel(f.Params[i].Name)
			for a.GoName == "" || names[a.GoName] {
				a.GoName += fmt.Sprintf("Arg%d", i)
			}
			names[a.GoName] = true
		}
	}
	return nil
}

// soleCount is the one argument that counts the elements of arrays, or -1.
func soleCount(f *cparse.Type) int {
	at := -1
	for i, a := range f.Params {
		if isInteger(a.Type) && elements.MatchString(strings.ToLower(a.Name)) {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

// isArrayOf recognises an argument that is an array: pkt_array, status_arr, or with brackets. Bytes are payloads.
func isArrayOf(a cparse.Param) bool {
	u := underlying(a.Type)
	if u.Kind != cparse.Pointer || isByte(u.Elem) || isChar(u.Elem) || underlying(u.Elem).Kind == cparse.Void {
		return false
	}
	e := underlying(u.Elem)
	return u.Decayed || (e.Kind != cparse.Struct || e.Name == "doca_data") && manyName.MatchString(strings.ToLower(a.Name))
}

// element is the Go form of an element of an array: a number, an enumeration, user data or a handle.
func (b *builder) element(a cparse.Param) (*GoType, error) {
	g, err := b.resolve(underlying(a.Type).Elem)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	if g.Kind == Record && !strings.HasPrefix(g.Name, "*") {
		return nil, fmt.Errorf("%s is an array of %s, which a record cannot carry", a.Name, g.C)
	}
	return g, nil
}

// dataSlots finds the arguments that are data of the program: whose it is, of the context or of anything else, say their names
// and what the comments say. Nothing is concluded from their order.
func (b *builder) dataSlots(fn *Func, cb *Callback, f *cparse.Type) (map[int]Slot, error) {
	out := map[int]Slot{}
	var unknown []int
	for i, a := range f.Params {
		if !isData(a.Type) {
			continue
		}
		if out[i] = b.whose(fn, cb, a); out[i] == "" {
			delete(out, i)
			unknown = append(unknown, i)
		}
	}
	if len(unknown)+len(out) == 0 {
		b.cookie(fn, f, out)
		return out, nil
	}
	if len(unknown) == 1 && len(out) == 0 { // what the installing function takes comes back, else it is the context's
		out[unknown[0]] = SlotCtx
		if slices.ContainsFunc(fn.C.Params, func(p cparse.Param) bool { return isData(p.Type) }) {
			out[unknown[0]] = SlotUser
		}
		unknown = nil
	}
	if len(unknown) == 1 && len(out) == 1 {
		for _, s := range out {
			out[unknown[0]] = map[Slot]Slot{SlotCtx: SlotUser, SlotUser: SlotCtx}[s]
		}
		unknown = nil
	}
	if len(unknown) > 0 {
		return nil, fmt.Errorf("neither the name nor the comment of its argument %s says whether it is the context's user data", argName(f, unknown[0]))
	}
	seen := map[Slot]int{}
	for i := range f.Params {
		s, ok := out[i]
		if !ok {
			continue
		}
		if first, twice := seen[s]; twice {
			return nil, fmt.Errorf("both %s and %s are user data %s", argName(f, first), argName(f, i),
				map[Slot]string{SlotCtx: "of a context", SlotUser: "that is not the context's, and a record holds one"}[s])
		}
		seen[s] = i
	}
	return out, nil
}

func argName(f *cparse.Type, i int) string {
	if n := f.Params[i].Name; n != "" {
		return n
	}
	return fmt.Sprintf("%d (it has no name)", i+1)
}

// cookie finds the void * that the program gave for the callback, in callbacks without union doca_data: by its name; or, as the
// last argument, because the installing function takes one.
func (b *builder) cookie(fn *Func, f *cparse.Type, out map[int]Slot) {
	isVoid := func(p cparse.Param) bool {
		u := underlying(p.Type)
		return u.Kind == cparse.Pointer && underlying(u.Elem).Kind == cparse.Void
	}
	for i, a := range slices.Backward(f.Params) {
		if isVoid(a) && cookieName.MatchString(strings.ToLower(a.Name)) {
			out[i] = SlotUser
			return
		}
	}
	if last := len(f.Params) - 1; last >= 0 && isVoid(f.Params[last]) && slices.ContainsFunc(fn.C.Params, isVoid) {
		out[last] = SlotUser
	}
}

// whose tells whose user data an argument is: ctx_user_data is the context's, and so is graph_user_data of what is installed on
// a doca_graph; task_user_data and event_user_data are not. Where the name has no owner, the comment may: of the callback's
// type, or of the function that installs it.
func (b *builder) whose(fn *Func, cb *Callback, a cparse.Param) Slot {
	name := strings.ToLower(a.Name)
	owner := strings.TrimSuffix(dataName.ReplaceAllString(name, ""), "_")
	installed := strings.TrimPrefix(pointee(fn.C.Params[0].Type), "doca_")
	ctx, other := contextName.MatchString(owner), ownedName.MatchString(owner)
	switch {
	case ctx && other, !dataName.MatchString(name): // the comment may tell
	case ctx, !other && owner != "" && (owner == installed || strings.HasSuffix(installed, "_"+owner)):
		return SlotCtx
	case owner != "":
		return SlotUser
	}
	for _, doc := range []string{b.typedefDocs[cb.Type], fn.Doc} {
		text := strings.ToLower(paramText(doc, a.Name))
		ctx, other := contextWord.MatchString(text), ownedWord.MatchString(text)
		switch {
		case ctx && !other:
			return SlotCtx
		case other && !ctx:
			return SlotUser
		}
	}
	return ""
}

var (
	dataName    = regexp.MustCompile(`_?(user|usr)?_?(data|ctx|context|cookie)\d*$|^(user|usr)_`)
	contextName = regexp.MustCompile(`(^|_)(ctx|context|engine)$`)
	ownedName   = regexp.MustCompile(`(^|_)(task|batch|event|connection|conn|job|entry|request)(_|$)`)
	contextWord = regexp.MustCompile(`\b(context|ctx)`)
	ownedWord   = regexp.MustCompile(`\b(task|batch|event|connection|job|entry|request)`)
)

// paramText is what a comment says of a parameter.
func paramText(doc, name string) string {
	if name == "" {
		return ""
	}
	at := regexp.MustCompile(`[@\\]param\s*(\[[^\]]*\])?\s*` + regexp.QuoteMeta(name) + `\b`).FindStringIndex(doc)
	if at == nil {
		return ""
	}
	text := doc[at[1]:]
	if end := regexp.MustCompile(`[@\\][a-z]+|\n[\s*]*\n`).FindStringIndex(text); end != nil {
		text = text[:end[0]]
	}
	return text
}
