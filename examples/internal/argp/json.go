package argp

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
)

// file takes the parameters from a JSON file: an object with the sections
// doca_general_flags and doca_program_flags, whose keys are long names.
func (p *Parser) file(path string, given map[*Param]bool) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var sections map[string]map[string]any
	if err := json.Unmarshal(content, &sections); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	params := map[string][]*Param{"doca_general_flags": p.general[2:4], "doca_program_flags": p.program}
	for _, section := range sorted(sections) {
		known, ok := params[section]
		if !ok {
			return fmt.Errorf("%s: unknown section %q: there are doca_general_flags and doca_program_flags", path, section)
		}
		for _, key := range sorted(sections[section]) {
			i := slices.IndexFunc(known, func(q *Param) bool { return q.Long == key })
			if i < 0 {
				return fmt.Errorf("%s: unknown key %q in %s", path, key, section)
			}
			q := known[i]
			given[q] = true
			for _, v := range values(q, sections[section][key]) {
				s, err := q.jsonText(v)
				if err == nil && s != "" {
					err = q.Set(s)
				}
				if err != nil {
					return fmt.Errorf("%s: %s.%s: %w", path, section, key, err)
				}
			}
		}
	}
	return nil
}

// values is what a key holds: a repeatable parameter may have an array.
func values(q *Param, v any) []any {
	if list, ok := v.([]any); ok && q.Repeatable {
		return list
	}
	return []any{v}
}

// jsonText checks the type of a value. A boolean that is false is as good as not given.
func (q *Param) jsonText(v any) (string, error) {
	switch x := v.(type) {
	case string:
		if q.kind == text {
			return x, nil
		}
	case float64:
		if q.kind == integer && x == float64(int(x)) {
			return strconv.Itoa(int(x)), nil
		}
	case bool:
		if q.kind == boolean {
			if x {
				return "true", nil
			}
			return "", nil
		}
	}
	want := [...]string{text: "a string", integer: "an integer", boolean: "true or false"}[q.kind]
	return "", fmt.Errorf("%v is not %s", v, want)
}

func sorted[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
