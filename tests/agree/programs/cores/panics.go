// A goroutine that writes through a nil pointer; with GOTRACEBACK=crash the runtime leaves a core.
package main

import "time"

type order struct{ price int }

//go:noinline
func charge(o *order, depth int) int {
	if depth == 0 {
		o.price = 1
		return 0
	}
	return charge(o, depth-1) + 1
}

func main() {
	go func() { time.Sleep(time.Hour) }()
	time.Sleep(100 * time.Millisecond)
	println(charge(nil, 3))
}
