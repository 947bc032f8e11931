// Goroutines of pgx over its pool. Statements are prepared by pgx itself.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v4/pgxpool"
)

const query = "SELECT balance FROM accounts WHERE id = $1"
const stride = 48271 // as of Accounts

type settings struct {
	URI         string
	Rows        int
	Callers     int
	Connections int32
}

type request struct {
	Method    string
	Arguments struct {
		IDs   []int
		Count int
	}
}

type figures struct {
	Wall    float64 `json:"wall"`
	CPU     float64 `json:"cpu"`
	Objects *int    `json:"objects"`
	Result  int     `json:"result"`
}

var pool *pgxpool.Pool

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func balance(id int) (value int) {
	check(pool.QueryRow(context.Background(), query, id).Scan(&value))
	return
}

func answers(ids []int) []int {
	values := make([]int, len(ids))
	for index, id := range ids {
		values[index] = balance(id)
	}
	return values
}

func cpu() float64 {
	var usage syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

// So many callers ask for one balance after the other.
func measure(count int, options settings) figures {
	share := count / options.Callers
	var callers sync.WaitGroup
	used, start := cpu(), time.Now()
	for caller := 0; caller < options.Callers; caller++ {
		callers.Add(1)
		go func(first int) {
			defer callers.Done()
			for number := first; number < first+share; number++ {
				balance(number*stride%options.Rows + 1)
			}
		}(caller * share)
	}
	callers.Wait()
	return figures{time.Since(start).Seconds(), cpu() - used, nil, share * options.Callers}
}

// Answers requests, a line of JSON each, until there are no more.
func main() {
	var options settings
	check(json.Unmarshal([]byte(os.Args[1]), &options))
	config, err := pgxpool.ParseConfig(options.URI)
	check(err)
	config.MinConns, config.MaxConns = options.Connections, options.Connections
	pool, err = pgxpool.ConnectConfig(context.Background(), config)
	check(err)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	output := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		check(json.Unmarshal(lines.Bytes(), &asked))
		var result interface{}
		if asked.Method == "answers" {
			result = answers(asked.Arguments.IDs)
		} else {
			result = measure(asked.Arguments.Count, options)
		}
		check(output.Encode(map[string]interface{}{"result": result}))
	}
}
