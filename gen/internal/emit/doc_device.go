package emit

import (
	"strings"

	"github.com/go-doca/go-doca/gen/internal/doxygen"
	"github.com/go-doca/go-doca/gen/internal/model"
)

// deviceFuncs describes the functions of a header for code on a device, for the package comment. Empty if there are none.
func (e *emitter) deviceFuncs(header string) string {
	var b strings.Builder
	for _, fn := range e.lib.DeviceFuncs {
		if fn.Header != header {
			continue
		}
		b.WriteString("\n//\n" + strings.TrimSpace(e.deviceDoc(fn)))
	}
	return b.String()
}

// deviceDoc describes a function in terms of C: its name, its parameters and its prototype.
func (e *emitter) deviceDoc(fn *model.DeviceFunc) string {
	s := e.docNames().scope(e.lib.Name, fn.CName)
	s.Params = map[string]string{}
	var names []string
	for _, p := range fn.C.Params {
		names = append(names, p.Name)
		s.Params[p.Name] = p.Name
	}
	c := doxygen.NewComment(s, fn.Doc, doxygen.LineWidth)
	c.Does(fn.CName)
	c.Body()
	docs, rest := c.Params(names)
	var items, results []string
	for _, p := range fn.C.Params {
		if text := docs[p.Name].Text(doxygen.Form{}); p.Name != "" && text != "" {
			items = append(items, p.Name+": "+text)
		}
	}
	for _, d := range rest {
		if text := d.Text(doxygen.Form{}); text != "" {
			items = append(items, d.Name+": "+text)
		}
	}
	if c.HasResult() {
		results = append(results, doxygen.LowerFirst(c.Result()))
	}
	c.Items("Parameters:", items)
	c.Items("Result:", results)
	span := e.spans[fn.CName]
	if span.Before != "" {
		c.Para("DOCA " + span.Before + " lacks the function")
	}
	if span.From != "" {
		c.Para("Before DOCA " + span.From + " the function had a different signature")
	}
	if span.Until != "" {
		c.Para("As of DOCA " + span.Until + " the function has a different signature")
	}
	c.End(promise(fn.Stability, span.Since))
	c.Prototype(fn.C.Prototype())
	return c.String()
}
