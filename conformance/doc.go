// SPDX-License-Identifier: Apache-2.0

// Package conformance asks an installed DOCA whether it follows the rules that these bindings and the emulator rely on.
//
// Each rule is a [Case]: it calls DOCA through the generated bindings, which pass on every call, and compares the answers
// with those that are expected. [Run] runs cases and returns a [Report], which can be written as text, JSON, JUnit's XML or
// HTML. What releases are known to answer differently is data of the case, and no failure.
//
//	func main() {
//		conformance.Child() // in the processes that Run starts
//		report, err := conformance.Run(context.Background(), conformance.Options{Isolate: true})
//		if err != nil {
//			log.Fatal(err)
//		}
//		report.WriteText(os.Stdout)
//	}
//
// Command doca has this as "doca conformance".
package conformance
