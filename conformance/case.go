// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"slices"
	"strconv"
	"strings"
)

// Case is one rule, and the calls that show whether a DOCA follows it.
type Case struct {
	// Name is unique. It begins with the subject: "mmap/start-without-range".
	Name string
	// Library is the package of the generated bindings that the rule is about: "common", "dma".
	Library string
	// Rule is what holds, in one sentence.
	Rule string
	// Source is where the rule comes from.
	Source Source
	// Needs is what must be there for the side that Run is. Without it the case is skipped.
	Needs []Need
	// PeerNeeds is the same for the side that Peer is.
	PeerNeeds []Need
	// Differences are the answers of other releases that are known.
	Differences []Difference
	// Run asks. In a case of two sides it is the DPU's side.
	Run func(*T)
	// Peer is the host's side of a case of two sides, and nil in all others.
	Peer func(*T)
}

// Source is where a rule comes from.
type Source string

// The sources of rules. Where they contradict each other, cards outrank released libraries, and these the documents.
const (
	// Documented: DOCA's reference lists the error or describes the state.
	Documented Source = "documented by DOCA"
	// Observed: a released library was called, and answered so.
	Observed Source = "observed on released libraries"
	// Measured: programs on BlueField cards have seen it.
	Measured Source = "measured on hardware"
	// Samples: programs for BlueField, NVIDIA's samples among them, fail unless it holds.
	Samples Source = "relied on by programs for BlueField"
)

// Need is what a case cannot do without.
type Need string

// What cases need.
const (
	NeedDevice        Need = "a device"
	NeedDMA           Need = "a device with DMA"
	NeedServer        Need = "a device with the server side of Comch, and a representor: the DPU"
	NeedClient        Need = "a device with the client side of Comch: the host"
	NeedExport        Need = "a device that can export memory across PCI"
	NeedImport        Need = "a device that can import memory exported across PCI"
	NeedSyncEvent     Need = "a device with tasks of sync events"
	NeedSyncEventPCI  Need = "a device that can export sync events across PCI"
	NeedRDMA          Need = "a device with RDMA"
	NeedDPA           Need = "a device with a DPA"
	NeedRepresentors  Need = "a device with representors: the DPU"
	NeedNoRepresentor Need = "a device without representors: the host"
	NeedAdvise        Need = "a device with advice on memory"
	NeedCompress      Need = "a device that decompresses Deflate"
	NeedErasureCoding Need = "a device with erasure coding"
)

// Difference is an answer that releases are known to give instead of the one that is expected. A result that differs in
// this way is [Known].
type Difference struct {
	// Releases are one release, "2.5", or a range of them: "2.5..2.9", "3.2..".
	Releases string
	// Asked begins the question that is answered otherwise. Empty: any question of the case.
	Asked string
	// Want is the answer, as [Result.Got] has it.
	Want string
	// Note says more, if there is more to say.
	Note string
}

// covers tells whether a version, such as 2.5.0108, is of the releases.
func (d Difference) covers(version string) bool {
	first, last, ranged := strings.Cut(d.Releases, "..")
	if !ranged {
		last = first
	}
	return version != "" && compareRelease(version, first) >= 0 && (last == "" || compareRelease(version, last) <= 0)
}

// compareRelease compares a version with a release, by the release's first two numbers.
func compareRelease(version, release string) int {
	v, r := strings.Split(version, "."), strings.Split(release, ".")
	for i, text := range r {
		want, _ := strconv.Atoi(text)
		have := 0
		if i < len(v) {
			have, _ = strconv.Atoi(v[i])
		}
		if have != want {
			return have - want
		}
	}
	return 0
}

// moreCases are added by tests.
var moreCases []Case

// Cases returns all cases, sorted by library and name. The caller owns the slice.
func Cases() []Case {
	var all []Case
	for _, list := range [][]Case{
		errorCases(), versionCases(), logCases(), deviceCases(), representorCases(), mmapCases(), mmapDeviceCases(), exportCases(),
		bufCases(), bufListCases(), inventoryCases(), poolCases(), bufArrayCases(), peCases(), notificationCases(), ctxCases(), ctxStopCases(), adviseCases(),
		nullCases(), argpCases(), argpParseCases(), dmaCases(), dmaTaskCases(), dmaListCases(), syncEventCases(), syncEventTaskCases(), syncEventPairCases(),
		comchConfigCases(), comchConnectCases(), comchMessageCases(), comchFastCases(), comchFastStateCases(), comchEndCases(), msgqCases(),
		rdmaConfigCases(), rdmaConnectCases(), rdmaTaskCases(), rdmaPairCases(), dpaCases(), dpaObjectCases(), compressCases(), erasureCodingCases(),
	} {
		all = append(all, list...)
	}
	all = append(all, moreCases...)
	slices.SortStableFunc(all, func(a, b Case) int {
		if c := strings.Compare(a.Library, b.Library); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}
