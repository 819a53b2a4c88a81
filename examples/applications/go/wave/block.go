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

// inside is what is not next to a ghost layer of a neighbour.
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

// update overwrites the values before last with the next ones, two planes at a time. Whole rows of a plane are one line;
// the ghost points between them get a value, too, of which no point inside is made: they are filled before the next
// step. Beside the boundary, a plane takes its mirror image for the ghost plane.
func (b *block) update(next, u []float64, p points, a, c float64) {
	rows := 1
	if p.first[2] == 1 && p.last[2] == b.n[2] {
		rows = p.last[1] - p.first[1] + 1
	}
	first, count := p.first[2], (rows-1)*b.row+p.last[2]-p.first[2]+1
	line := func(i, j int) []float64 { return u[b.at(i, j, first):][:count] }
	around := func(i, j int) plane {
		own := u[b.at(i, j, first-1):][:count+2]
		return plane{next[b.at(i, j, first):][:count], own, line(i, j-1), line(i, j+1)}
	}
	for i := p.first[0]; i <= p.last[0]; i += 2 {
		top := min(i+1, p.last[0]) // an odd last plane is alone
		below, above := i-1, top+1
		if i == 1 && b.boundary[0] {
			below = 2
		}
		if top == b.n[0] && b.boundary[1] {
			above = top - 1
		}
		for j := p.first[1]; j <= p.last[1]; j += rows {
			if top > i {
				updatePair(around(i, j), around(top, j), line(below, j), line(above, j), a, c)
			} else {
				updateLine(around(i, j), line(below, j), line(above, j), a, c)
			}
		}
		for made := i; made <= top; made++ {
			b.mirrorPlane(next, made, p)
		}
	}
}

// mirrorPlane gives the ghost points of a plane beyond the boundary the values of the points next to it, also at the ends
// of its rows, while they are in the cache: u_0 = u_2.
func (b *block) mirrorPlane(u []float64, i int, p points) {
	mirrorFirst := b.boundary[4] && p.first[2] == 1
	mirrorLast := b.boundary[5] && p.last[2] == b.n[2]
	for j := p.first[1]; j <= p.last[1]; j++ {
		row := u[b.at(i, j, 0):][:b.row]
		if mirrorFirst {
			row[0] = row[2]
		}
		if mirrorLast {
			row[b.row-1] = row[b.row-3]
		}
	}
	points := func(j int) []float64 { return u[b.at(i, j, p.first[2]) : b.at(i, j, p.last[2])+1] }
	if b.boundary[2] && p.first[1] == 1 {
		copy(points(0), points(2))
	}
	if b.boundary[3] && p.last[1] == b.n[1] {
		copy(points(b.n[1]+1), points(b.n[1]-1))
	}
}

// plane is what the update of a line takes of its plane: the next values, its own ones, which begin and end with a point
// more, and the lines a row before and behind along axis 1.
type plane struct{ next, own, left, right []float64 }

// updated gives the next value of a point, of the one before u, of u, and of the sums of its neighbours along each axis.
func updated(before, u, axis0, axis1, axis2, a, c float64) float64 {
	return a*((axis0+axis1)+axis2) + c*u - before
}

// updateLine updates a line from those of its plane and those below and above along axis 0. All have one length, so that
// nothing in the loop is checked, and a value of the line is read once.
func updateLine(p plane, below, above []float64, a, c float64) {
	next, n := p.next, len(p.next)
	before, u, rest := p.own[0], p.own[1], p.own[2:][:n]
	below, above, left, right := below[:n], above[:n], p.left[:n], p.right[:n]
	for k := range next {
		after := rest[k]
		next[k] = updated(next[k], u, below[k]+above[k], left[k]+right[k], before+after, a, c)
		before, u = u, after
	}
}

// updatePair updates a line of a plane and the same one of the plane above it: each is the other's neighbour, so that both
// are loaded once for two lines. It takes less time than two lines apart. Four lines in one loop, as in C, take 1.1 to 1.3
// times as long: the compiler makes no vectors, so that the processor is slower than the memory, and a register for each
// of 18 lines is more than there are. Two pairs of planes by turns, on rows that begin cache lines, take as long as this.
func updatePair(lower, upper plane, below, above []float64, a, c float64) {
	next, n := lower.next, len(lower.next)
	before, u, rest := lower.own[0], lower.own[1], lower.own[2:][:n]
	left, right, below := lower.left[:n], lower.right[:n], below[:n]
	next2, before2, u2, rest2 := upper.next[:n], upper.own[0], upper.own[1], upper.own[2:][:n]
	left2, right2, above := upper.left[:n], upper.right[:n], above[:n]
	for k := range next {
		after, after2 := rest[k], rest2[k]
		next[k] = updated(next[k], u, below[k]+u2, left[k]+right[k], before+after, a, c)
		next2[k] = updated(next2[k], u2, u+above[k], left2[k]+right2[k], before2+after2, a, c)
		before, u, before2, u2 = u, after, u2, after2
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
