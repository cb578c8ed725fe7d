// Work whose functions are known, with profiles of the CPU and of the heap.
package main

import (
	"context"
	"crypto/sha256"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

//go:noinline
func hash(until time.Time) (sum byte) {
	block := make([]byte, 4096)
	for time.Now().Before(until) {
		digest := sha256.Sum256(block)
		sum += digest[0]
	}
	return sum
}

func half(n int) int { return n / 2 } // inlined

//go:noinline
func count(until time.Time) (n int) {
	for time.Now().Before(until) {
		for i := 1; i < 10000; i++ {
			n += half(n + i)
		}
	}
	return n
}

var kept [][]byte

//go:noinline
func keep(blocks int) {
	for i := 0; i < blocks; i++ {
		kept = append(kept, make([]byte, 64<<10))
	}
}

//go:noinline
func drop(blocks int) {
	for i := 0; i < blocks; i++ {
		kept[0] = make([]byte, 64<<10)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	cpu, err := os.Create("work.cpu.pb.gz")
	check(err)
	check(pprof.StartCPUProfile(cpu))
	until := time.Now().Add(time.Second)
	var group sync.WaitGroup
	group.Add(2)
	go pprof.Do(context.Background(), pprof.Labels("request", "hash"), func(context.Context) { hash(until); group.Done() })
	go pprof.Do(context.Background(), pprof.Labels("request", "count"), func(context.Context) { count(until); group.Done() })
	group.Wait()
	pprof.StopCPUProfile()
	check(cpu.Close())
	keep(100)
	drop(300)
	runtime.GC()
	heap, err := os.Create("work.heap.pb.gz")
	check(err)
	check(pprof.Lookup("heap").WriteTo(heap, 0))
	check(heap.Close())
}
