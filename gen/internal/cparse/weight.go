package cparse

import "fmt"

// maxWeight bounds the parts of a type, typedefs followed: a few lines of C
// can spell a type with more parts than there is memory, were they written out.
const maxWeight = 10_000

// weight counts the parts of a type, until there are more than budget.
func weight(t *Type, budget int) int {
	n := 0
	for ; t != nil && n <= budget; t = t.Elem {
		n++
		for _, p := range t.Params {
			if n > budget {
				break
			}
			n += weight(p.Type, budget-n)
		}
	}
	return n
}

func recordWeight(r *Record, budget int) int {
	n := 1
	for _, f := range r.Fields {
		if n > budget {
			break
		}
		n += weight(f.Type, budget-n)
		if f.Anon != nil {
			n += recordWeight(f.Anon, budget-n)
		}
	}
	return n
}

func checkWeight(t *Type) error {
	if weight(t, maxWeight) > maxWeight {
		return fmt.Errorf("a type of more than %d parts", maxWeight)
	}
	return nil
}

func checkRecordWeight(r *Record) error {
	if recordWeight(r, maxWeight) > maxWeight {
		return inRecord(Kind(r.Kind), r.Name, fmt.Errorf("more than %d parts", maxWeight))
	}
	return nil
}
