package main

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"
)

// A record of the log: the digest, then the expiry in seconds.
const recordLength = sha256.Size + 8

// usedTokens remembers which ID tokens were used, with an appended log or only in memory.
type usedTokens struct {
	mutex sync.Mutex
	set   map[[sha256.Size]byte]struct{}
	file  *os.File // nil without a log

	// The group that collects tokens while the previous group is written.
	group *group
	wake  chan struct{}
}

// group is what one write and one fdatasync make durable.
type group struct {
	records []byte
	written chan struct{}
	err     error
}

func newGroup() *group { return &group{written: make(chan struct{})} }

func openUsedTokens(path string) (*usedTokens, error) {
	used := &usedTokens{set: map[[sha256.Size]byte]struct{}{}}
	if path == "" {
		return used, nil
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	earliest := uint64(time.Now().Unix()) - 2*clockSkew
	whole := int64(0)
	chunk := make([]byte, recordLength*4096)
	for {
		count, err := io.ReadFull(file, chunk)
		for start := 0; start+recordLength <= count; start += recordLength {
			record := chunk[start : start+recordLength]
			if binary.BigEndian.Uint64(record[sha256.Size:]) >= earliest {
				used.set[*(*[sha256.Size]byte)(record)] = struct{}{}
			}
			whole += recordLength
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return nil, err
		}
	}
	// A crash during a write leaves a partial record, for which no answer was sent.
	if err := file.Truncate(whole); err != nil {
		return nil, err
	}
	if err := file.Sync(); err != nil {
		return nil, err
	}
	used.file, used.group, used.wake = file, newGroup(), make(chan struct{}, 1)
	go used.write()
	return used, nil
}

// spend reports whether this is the first use of a token. With a log it returns only after that is on the disk.
func (used *usedTokens) spend(digest [sha256.Size]byte, expiry int64) (bool, error) {
	used.mutex.Lock()
	if _, found := used.set[digest]; found {
		used.mutex.Unlock()
		return false, nil
	}
	used.set[digest] = struct{}{}
	group := used.group
	if group == nil {
		used.mutex.Unlock()
		return true, nil
	}
	group.records = append(group.records, digest[:]...)
	group.records = binary.BigEndian.AppendUint64(group.records, uint64(expiry))
	used.mutex.Unlock()
	select {
	case used.wake <- struct{}{}:
	default:
	}
	<-group.written
	return true, group.err
}

// write makes one group after the other durable.
func (used *usedTokens) write() {
	failed := false
	for range used.wake {
		used.mutex.Lock()
		group := used.group
		if len(group.records) == 0 {
			used.mutex.Unlock()
			continue
		}
		used.group = newGroup()
		used.mutex.Unlock()
		if failed {
			// After a failure the contents of the disk are unknown: nothing is spent until a restart has read them.
			group.err = errors.New("the log failed before")
		} else if _, err := used.file.Write(group.records); err != nil {
			failed, group.err = true, err
		} else if err := syscall.Fdatasync(int(used.file.Fd())); err != nil {
			failed, group.err = true, err
		}
		close(group.written)
	}
}
