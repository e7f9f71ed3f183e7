package emit

import (
	"strconv"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/model"
)

// members are the names of the members of a struct that C and Go share, in both.
type members map[string]bool

func (m members) take(c, goName string) { m["C "+c], m["Go "+goName] = true, true }

// name is a name in C that is free in both: of those that are wanted the first that a member can have, else one of them with a number.
func (m members) name(wanted ...string) string {
	number := ""
	for i := 2; ; i++ {
		for _, name := range wanted {
			name += number
			if model.MemberName(name) && !m["C "+name] && !m["Go "+model.FieldName(name)] {
				m.take(name, model.FieldName(name))
				return name
			}
		}
		if number == "" {
			wanted = append(wanted, "value")
		}
		number = strconv.Itoa(i)
	}
}

// itemMembers are the members of an item apart from the inputs.
func itemMembers(t *model.Task) members {
	m := members{}
	m.take("exchange", "Exchange")
	for _, b := range t.Buffers {
		m.take(bufferField(b), b.GoName)
	}
	return m
}

// resultMembers are the members of a result apart from the outputs.
func resultMembers(t *model.Task) members {
	m := members{}
	m.take("user", "User")
	for _, b := range t.Buffers {
		m.take(bufferField(b)+"_len", b.GoName+"Len")
	}
	return m
}

// bufferField is the member of an item in C that is a buffer.
func bufferField(b model.TaskField) string { return strings.ToLower(b.GoName) }
