package doxygen

import "strings"

// flatItem puts the items below an item into its sentence.
func flatItem(item string) string {
	parts := strings.Split(item, subItem)
	if len(parts) == 1 {
		return item
	}
	for i, p := range parts[1:] {
		parts[i+1] = strings.TrimRight(strings.TrimSpace(p), ".;,")
	}
	head, tail := strings.TrimRight(strings.TrimSpace(parts[0]), ".;,"), strings.Join(parts[1:], "; ")
	switch {
	case head == "":
		return tail
	case strings.HasSuffix(head, ":"):
		return head + " " + tail
	}
	return head + ": " + tail
}

// flatText puts blocks into running text, still in Doxygen's inline form.
func flatText(blocks []block) string {
	out := ""
	add := func(t string) {
		t = strings.TrimSpace(t)
		switch {
		case t == "" || out == "":
		case strings.HasSuffix(out, ":"):
			out += " "
		default:
			out = sentence(out) + " "
		}
		out += t
	}
	for _, b := range blocks {
		switch b.Kind {
		case blockPara, blockHeading:
			add(b.Text)
		case blockList:
			items := make([]string, len(b.Items))
			for i, it := range b.Items {
				items[i] = flatItem(it)
			}
			if len(items) == 1 && out == "" {
				add(items[0])
			} else if t := strings.TrimSuffix(out, "."); t != "" && !strings.HasSuffix(t, ":") && len(t) < len(out)+1 {
				out = t + ":"
				add(flatItem(subItem + strings.Join(items, subItem)))
			} else {
				add(flatItem(subItem + strings.Join(items, subItem)))
			}
		case blockTable:
			for _, row := range b.Items {
				if !rule.MatchString(row) {
					add(strings.Join(rowCells(row), ", "))
				}
			}
		case blockCode:
			add(strings.Join(strings.Fields(strings.Join(b.Code, " ")), " "))
		}
	}
	return out
}
