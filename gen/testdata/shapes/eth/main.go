// Command main sends batches on two queues of doca_eth_txq.h, and prints whose records their callbacks leave.
package main

import (
	"fmt"

	"example.com/user/bindings/eth"
	"github.com/go-doca/go-doca/generated/abi"
)

func must[T any](v T, err error) T {
	check(err)
	return v
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	ring := must(abi.NewRing())
	for q := range 2 {
		txq := must(eth.TxqCreate())
		check(eth.TxqSetUserData(txq, abi.Data(100+q)))
		check(eth.TxqTaskBatchSendSetConf(txq, 8))
		check(eth.TxqTaskBatchLsoSendSetConf(txq, 8))
		check(eth.TxqEventErrorRegister(txq, abi.Data(300+q)))
		check(eth.TxqSetEmptyCB(txq))
		check(eth.TxqBatchSend(txq, uint16(2+q), abi.Data(200+q)))
	}
	eth.Collect(ring)
	for _, r := range ring.Records() {
		fmt.Printf("ctx %d user %d ", int64(r.Ctx), r.User)
		switch r.Kind {
		case eth.KindTxqTaskBatchSendSuccessTaskBatch:
			m := eth.GetTxqTaskBatchSendSuccessTaskBatchMore(ring, &r)
			fmt.Println("sent", r.Args[0], m.TaskUserDataArray, m.PktArray, m.StatusArray)
		case eth.KindTxqTaskBatchLsoSendSuccessTaskBatch:
			m := eth.GetTxqTaskBatchLsoSendSuccessTaskBatchMore(ring, &r)
			fmt.Println("cut", r.Args[0], r.Args[1], m.Time, m.Lane, m.Last, m.TaskUserDataArray, m.PktPayloadArray, len(m.HeadersArray), m.StatusArray)
		case eth.KindTxqEventError:
			fmt.Println("event", r.Args[0])
		case eth.KindTxqEmpty:
			fmt.Println("empty", r.Object != nil)
		}
	}
	ring.Free()
	txq := must(eth.TxqCreate())
	check(eth.TxqApplyMetadata(txq, []uint32{1, 2, 3}, []uint8{1, 1, 2}))
	fmt.Println(must(eth.TxqGetMetadataSum(txq)))
	fmt.Println(eth.TxqApplyMetadata(txq, []uint32{1, 2, 3}, []uint8{1}))
}
