// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
	"time"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Skipped  int          `xml:"skipped,attr"`
	Time     string       `xml:"time,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name    string        `xml:"name,attr"`
	Class   string        `xml:"classname,attr"`
	Time    string        `xml:"time,attr"`
	Failure *junitMessage `xml:"failure"`
	Error   *junitMessage `xml:"error"`
	Skipped *junitMessage `xml:"skipped"`
	Out     string        `xml:"system-out,omitempty"`
}

type junitMessage struct {
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// WriteJUnit writes the report in the XML that continuous integration reads as JUnit's. What differs is a failure, a crash or a time-out
// an error. A known difference has passed, with a word in its output.
func (r *Report) WriteJUnit(w io.Writer) error {
	all := junitSuites{Name: "DOCA conformance", Time: seconds(r.Duration)}
	properties := []junitProperty{{"provider", r.Provider}, {"version", r.Version}, {"bindings", r.Bindings}, {"machine", r.Machine}, {"device", r.Device}}
	for _, t := range r.tallies() {
		s := junitSuite{Name: t.Library, Timestamp: r.Started.Format("2006-01-02T15:04:05"), Properties: properties}
		total := Duration(0)
		for i := range r.Results {
			if result := &r.Results[i]; result.Library == t.Library {
				s.Cases = append(s.Cases, result.junit())
				total += result.Duration
			}
		}
		s.Tests, s.Time = t.Cases, seconds(total)
		s.Failures, s.Errors, s.Skipped = t.By[Differs], t.By[Crashed]+t.By[Timeout], t.By[Skipped]
		all.Tests, all.Failures, all.Errors, all.Skipped = all.Tests+s.Tests, all.Failures+s.Failures, all.Errors+s.Errors, all.Skipped+s.Skipped
		all.Suites = append(all.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *Result) junit() junitCase {
	c := junitCase{Name: r.Name, Class: "doca." + r.Library, Time: seconds(r.Duration)}
	var text strings.Builder
	r.writeText(&text)
	message := &junitMessage{Message: r.Reason, Text: text.String()}
	if message.Message == "" {
		message.Message = fmt.Sprintf("%s: expected %s, got %s", r.Asked, r.Expected, r.Got)
	}
	switch r.Status {
	case Differs:
		c.Failure = message
	case Crashed, Timeout:
		c.Error = message
	case Skipped:
		c.Skipped = &junitMessage{Message: r.Reason}
	case Known:
		c.Out = text.String()
	}
	return c
}

func seconds(d Duration) string { return fmt.Sprintf("%.3f", time.Duration(d).Seconds()) }
