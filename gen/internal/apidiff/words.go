package apidiff

import (
	"slices"
	"strings"

	"github.com/go-doca/go-doca/gen/internal/ledger"
)

// words splits a C name. The doca in front says nothing, nor does the _t of a typedef.
func words(kind ledger.Kind, name string) []string {
	w := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '_' })
	if len(w) > 1 && w[0] == "doca" {
		w = w[1:]
	}
	if len(w) > 1 && kind == ledger.Typedef && w[len(w)-1] == "t" {
		w = w[:len(w)-1]
	}
	return w
}

// likeness is how much two names have in common.
type likeness struct {
	score   float64 // 1: the same words in the same order
	instead string  // "dpu>remote pci": words that others replace, and that do not look like them; empty where there are none
	opposed bool    // one word stands for the contrary of the other
}

// shortened weighs a word that is an abbreviation of the other: buffer and buf.
const shortened = 0.85

// permuted weighs the same words in another order.
const permuted = 0.97

// compareWords does not care which side is which.
func compareWords(a, b []string) likeness {
	if len(a) == 0 || len(b) == 0 {
		return likeness{}
	}
	if slices.Compare(a, b) > 0 {
		a, b = b, a
	}
	restA, restB := leftover(a, b), leftover(b, a)
	same := float64(len(a) - len(restA))
	for i := 0; i < len(restA); i++ {
		for j, w := range restB {
			if abbreviates(restA[i], w) {
				same += shortened
				restA, restB = slices.Delete(restA, i, i+1), slices.Delete(restB, j, j+1)
				i--
				break
			}
		}
	}
	l := likeness{score: 2 * same / float64(len(a)+len(b))}
	if len(restA)+len(restB) == 0 && !inOrder(a, b) {
		l.score *= permuted
	}
	if len(restA) > 0 && len(restB) > 0 {
		l.instead = strings.Join(restA, " ") + ">" + strings.Join(restB, " ")
	}
	l.opposed = opposed(restA, restB)
	return l
}

// leftover is a without the words that b has as well.
func leftover(a, b []string) []string {
	n := map[string]int{}
	for _, w := range b {
		n[w]++
	}
	var out []string
	for _, w := range a {
		if n[w]--; n[w] < 0 {
			out = append(out, w)
		}
	}
	return out
}

// inOrder tells whether the words that both have come in the same order.
func inOrder(a, b []string) bool {
	if len(a) != len(b) {
		return true
	}
	for i := range a {
		if a[i] != b[i] && !abbreviates(a[i], b[i]) {
			return false
		}
	}
	return true
}

// abbreviates tells whether one word is the beginning of the other.
func abbreviates(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return len(a) >= 3 && strings.HasPrefix(b, a)
}

// opposites are words of which one is never the new name of another.
var opposites = [][]string{
	{"get", "set"}, {"src", "dst"}, {"start", "stop"}, {"send", "recv", "receive"}, {"server", "client"},
	{"create", "destroy"}, {"inc", "dec"}, {"min", "max"}, {"gt", "lt", "ge", "le", "eq", "ne", "neq"}, {"read", "write"},
	{"publisher", "subscriber"}, {"local", "remote"}, {"producer", "consumer"}, {"first", "last"}, {"next", "prev"},
	{"head", "tail"}, {"host", "dpu"}, {"alloc", "free"}, {"connect", "disconnect"}, {"lock", "unlock"},
	{"add", "sub", "remove", "rm"}, {"push", "pop"}, {"enable", "disable"}, {"tx", "rx"}, {"h2d", "d2h"}, {"cpu", "gpu", "dpa"},
	{"completion", "error"}, {"success", "failure"}, {"accept", "reject"}, {"open", "close"}, {"attach", "detach"},
}

// opposed tells whether the words that differ are opposites, such as get and set.
func opposed(a, b []string) bool {
	for _, o := range opposites {
		for _, x := range a {
			for _, y := range b {
				if x != y && slices.Contains(o, x) && slices.Contains(o, y) {
					return true
				}
			}
		}
	}
	return false
}

// alike is how much two sequences have in common, by their longest common subsequence.
func alike(a, b []string) float64 {
	const most = 200 // tokens; a longer prototype is compared by its beginning
	a, b = a[:min(len(a), most)], b[:min(len(b), most)]
	if len(a)+len(b) == 0 {
		return 1
	}
	return 2 * float64(len(common(a, b))) / float64(len(a)+len(b))
}

// common is a longest common subsequence: pairs of indices.
func common(a, b []string) [][2]int {
	n := make([][]int, len(a)+1)
	for i := range n {
		n[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				n[i][j] = n[i+1][j+1] + 1
			} else {
				n[i][j] = max(n[i+1][j], n[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case n[i+1][j] >= n[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}
