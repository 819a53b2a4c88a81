package wave

// block is how a rank's points lie in memory, as u[i][j][k] in one slice. Along each axis 0 and n + 1 are ghost layers.
type block struct {
	n          [3]int         // this rank's points
	row, plane int            // numbers from one row, and from one plane, to the next
	boundary   [numSides]bool // sides without a neighbour
}

// points are those from first to last, both included, along each axis.
type points struct{ first, last [3]int }

func newBlock(n [3]int, boundary [numSides]bool) block {
	row := n[2] + 2
	return block{n, row, (n[1] + 2) * row, boundary}
}

func (b *block) size() int { return (b.n[0] + 2) * b.plane }

func (b *block) at(i, j, k int) int { return i*b.plane + j*b.row + k }

func (b *block) all() points { return points{[3]int{1, 1, 1}, b.n} }

// inside is what is not beside a ghost layer of a neighbour.
func (b *block) inside() points {
	p := b.all()
	for axis := range p.first {
		if !b.boundary[2*axis] {
			p.first[axis]++
		}
		if !b.boundary[2*axis+1] {
			p.last[axis]--
		}
	}
	return p
}

// update overwrites the values before last with the next ones. A row beside the boundary takes its mirror image for the
// ghost row: u_0 = u_2. Only at the ends of rows the ghost points are written, while the row is in the cache.
func (b *block) update(next, u []float64, p points, a, c float64) {
	first, count := p.first[2], p.last[2]-p.first[2]+1
	mirrorFirst := b.boundary[4] && first == 1
	mirrorLast := b.boundary[5] && p.last[2] == b.n[2]
	row := func(i, j int) []float64 { return u[b.at(i, j, first):][:count] }
	for i := p.first[0]; i <= p.last[0]; i++ {
		below, above := b.beside(0, i)
		for j := p.first[1]; j <= p.last[1]; j++ {
			left, right := b.beside(1, j)
			whole := next[b.at(i, j, 0):][:b.row]
			updateRow(whole[first:][:count], u[b.at(i, j, first-1):][:count+2],
				row(below, j), row(above, j), row(i, left), row(i, right), a, c)
			if mirrorFirst {
				whole[0] = whole[2]
			}
			if mirrorLast {
				whole[b.row-1] = whole[b.row-3]
			}
		}
	}
}

// beside gives the layers below and above one.
func (b *block) beside(axis, layer int) (below, above int) {
	below, above = layer-1, layer+1
	if layer == 1 && b.boundary[2*axis] {
		below = above
	}
	if layer == b.n[axis] && b.boundary[2*axis+1] {
		above = layer - 1
	}
	return below, above
}

// updateRow updates a row from its own values, which begin and end with a point more, and from the rows below and above
// along axis 0, left and right along axis 1. All have one length, so that nothing in the loop is checked, and a value
// of the row is read once.
func updateRow(next, own, below, above, left, right []float64, a, c float64) {
	n := len(next)
	before, u, rest := own[0], own[1], own[2:][:n]
	below, above, left, right = below[:n], above[:n], left[:n], right[:n]
	for k := range next {
		after := rest[k]
		next[k] = a*(((below[k]+above[k])+(left[k]+right[k]))+(before+after)) + c*u - next[k]
		before, u = u, after
	}
}

// facePoints are those of a message across an axis.
func (b *block) facePoints(axis int) int {
	return [3]int{b.n[1] * b.row, b.n[0] * b.n[2], b.n[0] * b.n[1]}[axis]
}

// pack copies a layer across axis 1 or 2 to where its points touch. Those across axis 0 do, but for the ghost points at
// the ends of their rows.
func (b *block) pack(packed, u []float64, axis, layer int) {
	for i := range b.n[0] {
		if axis == 1 {
			copy(packed[i*b.n[2]:][:b.n[2]], u[b.at(i+1, layer, 1):])
			continue
		}
		column := u[b.at(i+1, 1, layer):]
		for j := range b.n[1] {
			packed[i*b.n[1]+j] = column[j*b.row]
		}
	}
}

// unpack copies to a ghost layer what [block.pack] has packed elsewhere.
func (b *block) unpack(u, packed []float64, axis, layer int) {
	for i := range b.n[0] {
		if axis == 1 {
			copy(u[b.at(i+1, layer, 1):], packed[i*b.n[2]:][:b.n[2]])
			continue
		}
		column := u[b.at(i+1, 1, layer):]
		for j := range b.n[1] {
			column[j*b.row] = packed[i*b.n[1]+j]
		}
	}
}
