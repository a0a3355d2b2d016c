// Decides logs of registers (tests/registers.py) by Porcupine: LIMIT LOG…, a line each.
package main

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"time"

	"github.com/anishathalye/porcupine"
)

type in struct{ op, a, b int }
type out struct {
	ok, unknown bool
	v           int
}

const null = -1 << 40

var model = porcupine.Model{
	Init: func() interface{} { return null },
	Step: func(s, i, o interface{}) (bool, interface{}) {
		st, x, y := s.(int), i.(in), o.(out)
		switch x.op {
		case 0:
			return y.unknown || y.v == st, st
		case 1:
			return true, x.a
		}
		if x.a == st {
			return y.unknown || y.ok, x.b
		}
		return y.unknown || !y.ok, st
	},
}

func main() {
	re := regexp.MustCompile(`(\d+)\s+:(\w+)\s+:(\w+)\s+(.*)$`)
	nums := regexp.MustCompile(`\d+`)
	for _, f := range os.Args[2:] {
		file, _ := os.Open(f)
		sc := bufio.NewScanner(file)
		var ev []porcupine.Event
		open := map[int]int{}
		var crashed []int
		id := 0
		for sc.Scan() {
			m := re.FindStringSubmatch(sc.Text())
			if m == nil {
				continue
			}
			p, _ := strconv.Atoi(m[1])
			n := nums.FindAllString(m[4], -1)
			g := func(i int) int {
				if i >= len(n) {
					return null
				}
				v, _ := strconv.Atoi(n[i])
				return v
			}
			op := map[string]int{"read": 0, "write": 1, "cas": 2}[m[3]]
			if m[2] == "invoke" {
				open[p] = id
				ev = append(ev, porcupine.Event{ClientId: p, Kind: porcupine.CallEvent, Value: in{op, g(0), g(1)}, Id: id})
				id++
			} else if m[2] == "info" {
				crashed = append(crashed, open[p])
				delete(open, p)
			} else {
				unk := m[2] == "fail" && op == 0
				ev = append(ev, porcupine.Event{ClientId: p, Kind: porcupine.ReturnEvent, Value: out{m[2] == "ok", unk, g(0)}, Id: open[p]})
				delete(open, p)
			}
		}
		for _, x := range open {
			crashed = append(crashed, x)
		}
		for _, x := range crashed {
			ev = append(ev, porcupine.Event{Kind: porcupine.ReturnEvent, Value: out{unknown: true}, Id: x})
		}
		t := time.Now()
		lim, _ := time.ParseDuration(os.Args[1])
		r := porcupine.CheckEventsTimeout(model, ev, lim)
		fmt.Printf("%s\t%s\t%.4f\n", f, r, time.Since(t).Seconds())
	}
}
