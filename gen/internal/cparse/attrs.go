package cparse

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// attr is one GNU attribute.
type attr struct {
	name  string // without the underscores around it
	args  string
	token cc.Token // its place is that of the macro it came from
}

// attrsOf flattens a list of attribute specifiers.
func attrsOf(l *cc.AttributeSpecifierList) (all []attr) {
	for ; l != nil; l = l.AttributeSpecifierList {
		if l.AttributeSpecifier == nil {
			continue
		}
		for v := l.AttributeSpecifier.AttributeValueList; v != nil; v = v.AttributeValueList {
			if v.AttributeValue == nil {
				continue
			}
			a := attr{name: strings.Trim(v.AttributeValue.Token.SrcStr(), "_"), token: l.AttributeSpecifier.Token}
			if v.AttributeValue.ArgumentExpressionList != nil {
				a.args = cc.NodeSource(v.AttributeValue.ArgumentExpressionList)
			}
			all = append(all, a)
		}
	}
	return all
}

// checkAttrs refuses attributes that make another type of a type.
func checkAttrs(attrs []attr) error {
	for _, a := range attrs {
		if a.name == "vector_size" || a.name == "mode" {
			return fmt.Errorf("attribute %s(%s)", a.name, a.args)
		}
	}
	return nil
}

// alignas is _Alignas as the attribute that means the same.
func alignas(a *cc.AlignmentSpecifier) attr {
	args := ""
	switch {
	case a.ConstantExpression != nil:
		args = cc.NodeSource(a.ConstantExpression)
	case a.TypeName != nil:
		args = cc.NodeSource(a.TypeName)
	}
	return attr{name: "aligned", args: args, token: a.Token}
}

// layout are the attributes that change a layout, as text: "packed", "aligned(8)".
func layout(attrs []attr) (out []string) {
	for _, a := range attrs {
		s := a.name
		switch a.name {
		case "packed":
		case "aligned":
			if a.args != "" {
				s += "(" + a.args + ")"
			}
		default:
			continue
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	slices.Sort(out)
	slices.Reverse(out) // "packed" first
	return out
}

// stability is the tier that the macro in front of a declaration, or else its
// attributes, promise.
func (c *collector) stability(src *source, attrs []attr) Stability {
	var stable, experimental, deprecated bool
	for _, a := range attrs {
		p := a.token.Position()
		macro := ""
		if src != nil {
			macro = strings.Trim(src.identAt(p.Line, p.Column), "_")
		}
		switch {
		case strings.HasPrefix(macro, "DOCA_") && strings.Contains(macro, "EXPERIMENTAL"):
			experimental = true
		case strings.HasPrefix(macro, "DOCA_") && strings.Contains(macro, "DEPRECATED"):
			deprecated = true
		case strings.HasPrefix(macro, "DOCA_") && strings.Contains(macro, "STABLE"):
			stable = true
		case a.name == "section" && strings.Contains(a.args, ".experimental"):
			experimental = true
		case a.name == "section" && strings.Contains(a.args, ".deprecated"):
			deprecated = true
		case a.name == "deprecated" && strings.Contains(a.args, "experimental"):
			experimental = true
		case a.name == "deprecated":
			deprecated = true
		case a.name == "visibility" && a.args == `"default"`:
			stable = true
		}
	}
	switch {
	case deprecated:
		return Deprecated
	case experimental:
		return Experimental
	case stable:
		return Stable
	}
	return Unmarked
}
