package doxygen

import (
	"regexp"
	"strings"
)

// verbs are what the summaries of C functions begin with, apart from their endings.
var verbs = strings.Fields(`
abort accept acknowledge acquire activate add adjust advance advise affect align allocate allow append apply arm ask assign
associate attach begin bind block build calculate call cancel chain change check choose clean clear clone close combine compare
compile complete compose compress compute configure confirm connect construct consume contain continue control convert copy
count create deactivate deallocate declare decode decompress decrease decref decrement decrypt define delete deregister derive
describe deserialize destroy destruct detach determine dequeue disable disassociate discard disconnect discover display divide
download drain drop dump duplicate emit enable encode encrypt end enforce enqueue ensure enter enumerate erase establish
evaluate exchange execute exit expand expose export extend extract fail fetch fill filter finalize find finish flush follow
force format forward free generate get give grab grow guarantee handle hand hash help hide hold identify ignore implement
import incref increase increment indicate inform inherit init initialise initialize initiate inject insert inspect install
instantiate instruct invalidate invoke issue iterate join jump keep launch leave let limit link list listen load lock log look
make manage map mark match measure merge migrate modify monitor move mount name negotiate notify obtain offload offset
open order override overwrite parse pass pause peek perform pin place point poll pop populate post prepare present preserve
prevent print process produce program progress propagate protect provide publish pull purge push put query queue quit raise
randomize read rearm rebuild receive reclaim recompute reconfigure reconnect record recover recycle redirect reduce refer
refill refresh register reject release remove rename render renew reorder replace reply report represent request require
reserve reset resize resolve respond restart restore restrict resume retain retire retrieve retry return reuse revert revoke
ring rotate run save scan schedule search seal select send serialize set share shift shrink shut signal
simulate skip sleep sort specify spin split start state stop store stream strip submit subscribe subtract suggest supply
support suspend swap switch sync synchronise synchronize take tell terminate test throw toggle touch trace track
transfer transform translate transmit traverse trigger trim truncate try tune turn undo unbind unblock unchain unexport unload
uninitialize unlink unlock unmap unmount unpin unregister unset unsubscribe update upgrade upload use validate verify wait wake
walk warn watch wipe wrap write yield zero
bring carry cause freeze cover deliver drive exclude fit forget include lead learn lower mirror own pack pick probe prove prune reach
react rely sample scale seek serve shorten slice spread step substitute sum tag tie time total unify vary visit work
accumulate adopt aggregate alter assemble assert authenticate await cache capture classify collect combine commit concatenate decapsulate
decide detect disarm disown dispatch distribute eject encapsulate escape estimate feed flip forge fuse gather guess inhibit intercept invert
invite kick kill leak loosen melt mute negate nudge outline overlap override parallelize partition patch persist pipeline plug poke
preallocate preempt prefetch prepend provision quiesce reap reassign rebind recalculate remap rescan retransmit rewind scatter shuffle
silence split stall steal steer submit summarize survey tap tear thaw tighten transition truncate unfreeze unhook unlatch unmask unplug
unroll unseal vacate warm withdraw`)

// verbForms maps each verb to the form that follows a name, and that form to itself.
var verbForms = func() map[string]string {
	forms := map[string]string{"setup": "sets up", "shutdown": "shuts down", "teardown": "tears down", "lookup": "looks up"}
	for _, v := range verbs {
		f := v + "s"
		switch n := len(v) - 1; {
		case v[n] == 'y' && !strings.ContainsRune("aeiou", rune(v[n-1])):
			f = v[:n] + "ies"
		case strings.ContainsRune("sxzo", rune(v[n])) || strings.HasSuffix(v, "sh") || strings.HasSuffix(v, "ch"):
			f = v + "es"
		}
		forms[v], forms[f] = f, f
	}
	for _, f := range []string{"is", "has", "does", "can", "may", "must", "will", "should"} {
		forms[f] = f
	}
	return forms
}()

var (
	firstWord  = regexp.MustCompile(`^[A-Za-z]+\b`)
	secondVerb = regexp.MustCompile(`^( (?:and|or|and/or)(?: then)? |, then |/)([a-z]+)\b`)
	// thisCall is the subject, which the Go name takes the place of.
	thisCall = regexp.MustCompile(`^(?:(?i:this|the) (?i:function|method|call|routine|macro|api|procedure|operation|helper) (?:will )?|Use (?:this|the) \w+ to )`)
	thisType = regexp.MustCompile(`^(?i:this|the) (?i:struct|structure|enum|enumeration|union|type|object|constant|value) `)
	usedTo   = regexp.MustCompile(`^(?i:(?:is |can be |should be |may be )?used) to ([a-z]+)\b`)
	adverb   = regexp.MustCompile(`^([A-Z][a-z]+ly) ([a-z]+)\b`)
	same     = regexp.MustCompile(`^(?:Same|Equivalent|Similar|Identical|Like|Analogous)\b`)
	thisIs   = regexp.MustCompile(`^(?:This|It) is `)
	// furtherVerb is one that shares the subject: "Stop the pipe and free the memory". It is not, behind what takes a verb of its own.
	furtherVerb = regexp.MustCompile(`(,? (?:and|or|and then|then) )([a-z]+)( (?:a|all|an|any|each|every|it|its|no|that|the|them|this|what)\b)`)
	ownVerb     = regexp.MustCompile(`[.:;]|\b(?:can|cannot|could|let|lets|may|must|not|should|that|to|what|when|where|whether|which|who|will|would)\b`)
	agent       = regexp.MustCompile(`^(?:Setter|Getter|Wrapper|Helper|Shortcut|Shorthand|Accessor|Alias|Utility|Variant)\b`)
	// A finite verb makes an article begin a sentence of its own, unless it is that of a clause.
	finite  = regexp.MustCompile(`\b(?:must|should|shall|will|can|cannot|may|is|are|was|were|has|have|does)\b`)
	clause  = regexp.MustCompile(`\b(?:that|which|who|whose|what|where|when|if|how|whether|as|than|while|by)\b`)
	article = regexp.MustCompile(`^(?:A|An|The|One|Any|Each|Every|Some|No|All|Another)\s`)
)

// predicate makes what a C comment says of something the rest of a sentence that begins with
// its name: "Create a pool" becomes "creates a pool", "A pool" becomes "is a pool". ok is false
// where the comment is neither.
func predicate(brief string) (s string, ok bool) {
	rest := thisCall.ReplaceAllString(brief, "")
	if m := usedTo.FindStringSubmatch(rest); m != nil && rest != brief && verbForms[m[1]] != "" {
		rest = rest[len(m[0])-len(m[1]):]
	}
	if r := thisIs.ReplaceAllString(rest, ""); r != rest && article.MatchString(UpperFirst(r)) {
		return "is " + LowerFirst(r), true
	}
	switch {
	case strings.HasSuffix(rest, "?"), isSentence(rest):
		return "", false
	case same.MatchString(rest):
		return "is " + strings.Replace(LowerFirst(rest), "same", "the same", 1), true
	case article.MatchString(rest):
		return "is " + LowerFirst(rest), true
	case agent.MatchString(rest):
		return indefinite(rest), true
	}
	if m := adverb.FindStringSubmatch(rest); m != nil && verbForms[m[2]] != "" {
		return strings.ToLower(m[1]) + " " + verbForms[m[2]] + rest[len(m[0]):], true
	}
	first := firstWord.FindString(rest)
	form, ok := verbForms[strings.ToLower(first)]
	if !ok || first == strings.ToUpper(first) {
		return "", false
	}
	if rest = rest[len(first):]; strings.HasPrefix(rest, " of ") {
		return "", false // a noun, such as list or name
	}
	if m := secondVerb.FindStringSubmatch(rest); m != nil && verbForms[m[2]] != "" {
		rest = m[1] + verbForms[m[2]] + rest[len(m[0]):]
	}
	return form + furtherVerbs(rest), true
}

// furtherVerbs gives the other verbs of a sentence the form of the first.
func furtherVerbs(s string) string {
	for _, m := range furtherVerb.FindAllStringSubmatchIndex(s, -1) {
		if form := verbForms[s[m[4]:m[5]]]; form != "" && !ownVerb.MatchString(s[:m[0]]) {
			return s[:m[4]] + form + furtherVerbs(s[m[5]:])
		}
	}
	return s
}

// indefinite makes "is a getter" of "Getter".
func indefinite(noun string) string {
	if strings.ContainsRune("AEIOU", rune(noun[0])) {
		return "is an " + LowerFirst(noun)
	}
	return "is a " + LowerFirst(noun)
}

// isSentence tells whether a text that begins with an article has a subject of its own: "The caller must wait".
func isSentence(s string) bool {
	if !article.MatchString(s) {
		return false
	}
	if i := strings.IndexAny(s, ",;:."); i >= 0 {
		s = s[:i]
	}
	m := finite.FindStringIndex(s)
	return m != nil && !clause.MatchString(s[:m[0]])
}

// LowerFirst makes a sentence continue another, unless it begins with a name.
func LowerFirst(s string) string {
	if rest, ok := strings.CutPrefix(s, "("); ok {
		return "(" + LowerFirst(rest)
	}
	if len(s) < 2 || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	w := firstRun.FindString(s)
	if properNames[w] || len(w) > 1 && strings.ToLower(w[1:]) != w[1:] || strings.ContainsAny(w, "_0123456789") || len(w) == 1 && w != "A" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// UpperFirst begins a sentence, unless it begins with a name.
func UpperFirst(s string) string {
	if w := lowerWord.FindString(s); w != "" {
		return strings.ToUpper(w[:1]) + s[1:]
	}
	return s
}

var lowerWord = regexp.MustCompile(`^[a-z]+(?:[- ,;:./']|$)`)

// properNames keep their capital, though the rest of them has none.
var properNames = map[string]bool{"Arm": true, "Comch": true, "English": true, "Ethernet": true, "Go": true, "Linux": true, "Python": true, "Unix": true}

var firstRun = regexp.MustCompile(`^\w+`)
