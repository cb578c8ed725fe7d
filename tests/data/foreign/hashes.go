package main
import ("os";"runtime/pprof";"runtime/trace";"fmt";"crypto/sha256";"sort")
//go:noinline
func hash(n int) (s byte) { b := make([]byte, 4096); for i:=0;i<n;i++ { h:=sha256.Sum256(b); s ^= h[0]; b[0]++ }; return }
//go:noinline
func order(n int) int { a := make([]int, 1000); t:=0; for i:=0;i<n;i++ { for j := range a { a[j] = (j*7919+i)%1000 }; sort.Ints(a); t+=a[0] }; return t }
func main() {
 f,_ := os.Create("go.cpu.pprof"); pprof.StartCPUProfile(f)
 tf,_ := os.Create("go.trace"); trace.Start(tf)
 fmt.Println(hash(60000), order(6000))
 trace.Stop()
 pprof.StopCPUProfile(); f.Close()
 h,_ := os.Create("go.heap.pprof"); pprof.WriteHeapProfile(h)
}
