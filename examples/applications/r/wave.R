# The wave equation u_tt = lap(u) on the unit cube, whose boundary reflects: n . grad u = 0.
#
# Leapfrog in time, central differences in space: a point and its six neighbours give the next value,
#
#     u^{l+1} = a (sum of the six u) + (2 - 6 a) u - u^{l-1},    a = (time step / spacing)^2
#
# after H. P. Langtangen, Computational Partial Differential Equations, Springer 2003. The wave begins at rest, as
# u = 2 cos(pi x) cos(pi y) cos(pi z).
#
# A field is a list of matrices, one for each plane across the axis z. R computes with them faster than with the parts
# of an array of three dimensions, and copies no more than a plane when it changes one. Along each axis the first and
# the last layer are ghosts, for values of neighbours.
#
# It takes ranks.R. All ranks call each function.

least_points <- 3 # of a rank, along an axis
most_points <- 46338 # so that the points of a plane, with its ghosts, are counted by an integer
mesh_of_ranks <- 3L # the number that Rmpi's communicator of the mesh gets

# A little less than the 1 / sqrt(3) of the spacing up to which the scheme is stable.
wave_time_step <- function(edge) 0.004510 * 128 / (edge - 1)

# A mesh of edge^3 points, divided among the ranks. overlapped: points that need no neighbour are updated while the
# faces are in flight. An error on all ranks where one has no memory, or too few points.
wave_create <- function(edge, overlapped = FALSE) {
  # Faces across z are whole planes, so this axis is the first to be divided.
  dims <- rev(mpi.dims.create(mpi.comm.size(world), 3L))
  if (edge < least_points * max(dims)) {
    refuse("The mesh is too small: each rank needs ", least_points, " points along each axis.")
  }
  if (edge > most_points * min(dims)) {
    refuse("The mesh is too large: a rank has at most ", most_points, " points along each axis.")
  }
  w <- new.env()
  w$edge <- edge
  w$overlapped <- overlapped
  w$a <- (wave_time_step(edge) * (edge - 1))^2
  w$communication_ns <- 0
  divide(w, dims)
  # With the values of a step, so that the memory for them is there, too.
  fits <- fits_everywhere({
    wave_restart(w)
    next_values(w, w$u, w$before, w$all, 1)
  })
  if (!fits) {
    wave_free(w)
    refuse("A rank has no memory for its part of the mesh.")
  }
  w
}

wave_free <- function(w) invisible(mpi.comm.free(mesh_of_ranks))

# Which points are this rank's, who its neighbours are, and which layers are next to a layer.
divide <- function(w, dims) {
  mpi.cart.create(world, dims, rep(FALSE, 3), FALSE, mesh_of_ranks)
  place <- mpi.cart.coords(mesh_of_ranks, mpi.comm.rank(mesh_of_ranks), 3L)
  parts <- Map(function(ranks, place) divided(w$edge, ranks, place), dims, place)
  w$n <- vapply(parts, function(part) as.integer(part$count), 0L)
  w$offset <- vapply(parts, function(part) part$offset, 0)
  # A row for each axis: the lower and the upper neighbour.
  w$neighbours <- t(vapply(1:3, function(axis) mpi.cart.shift(mesh_of_ranks, axis, 1L), integer(2)))
  walls <- w$neighbours == mpi.proc.null()
  w$all <- lapply(w$n, function(n) seq_len(n) + 1L)
  w$inside <- lapply(1:3, function(axis) seq(if (walls[axis, 1]) 2L else 3L, w$n[axis] + walls[axis, 2]))
  # Next to a wall the mirror image takes the place of what would be behind it.
  w$lower <- lapply(1:3, function(axis) replace(seq_len(w$n[axis] + 2L) - 1L, 2L, if (walls[axis, 1]) 3L else 1L))
  w$upper <- lapply(1:3, function(axis) {
    last <- w$n[axis] + 1L
    replace(seq_len(last + 1L) + 1L, last, if (walls[axis, 2]) last - 1L else last + 1L)
  })
  w$beside <- beside_neighbours(w)
  w$sides <- sides(w)
}

# The points next to neighbours, in boxes, each of them once. A box is given by its layers along each axis.
beside_neighbours <- function(w) {
  rest <- Map(setdiff, w$all, w$inside)
  boxes <- list(
    list(w$inside[[1]], w$inside[[2]], rest[[3]]),
    list(w$inside[[1]], rest[[2]], w$all[[3]]),
    list(rest[[1]], w$all[[2]], w$all[[3]])
  )
  Filter(function(box) all(lengths(box) > 0), boxes)
}

# The state before the first step.
wave_restart <- function(w) {
  cosines <- Map(function(offset, n) cos(pi * (offset + seq_len(n) - 1) / (w$edge - 1)), w$offset, w$n)
  plane <- matrix(0, w$n[1] + 2, w$n[2] + 2)
  first <- plane
  first[w$all[[1]], w$all[[2]]] <- 2 * outer(cosines[[1]], cosines[[2]])
  w$u <- c(list(plane), lapply(cosines[[3]], function(cosine) first * cosine), list(plane))
  w$before <- lapply(w$u, function(plane) plane * 0) # the first step takes nothing from before it
  w$steps <- 0
}

# Replaces the values before last of a box by the next ones. `share` is 1, or 0.5 for half of each term.
next_values <- function(w, u, before, box, share) {
  of_six <- share * w$a
  of_here <- share * (2 - 6 * w$a)
  x <- box[[1]]
  y <- box[[2]]
  left <- w$lower[[1]][x]
  right <- w$upper[[1]][x]
  front <- w$lower[[2]][y]
  back <- w$upper[[2]][y]
  for (z in box[[3]]) {
    here <- u[[z]]
    below <- u[[w$lower[[3]][z]]]
    above <- u[[w$upper[[3]][z]]]
    six <- (here[left, y] + here[right, y]) + (here[x, front] + here[x, back]) + (below[x, y] + above[x, y])
    before[[z]][x, y] <- of_six * six + of_here * here[x, y] - before[[z]][x, y]
  }
  before
}

# So many time steps.
wave_advance <- function(w, steps) {
  for (step in seq_len(steps)) {
    # u_t = 0 at the beginning, so u^{-1} = u^1, and half of each term makes the first step.
    share <- if (w$steps == 0) 0.5 else 1
    u <- w$u
    after <- w$before
    under_way <- start_exchange(w, u)
    if (w$overlapped) {
      after <- next_values(w, u, after, w$inside, share)
      u <- finish_exchange(w, u, under_way)
      for (box in w$beside) after <- next_values(w, u, after, box, share)
    } else {
      u <- finish_exchange(w, u, under_way)
      after <- next_values(w, u, after, w$all, share)
    }
    w$before <- u
    w$u <- after
    w$steps <- w$steps + 1
  }
}

# The exchange. A message has the number of the side at which it arrives: 2 (axis - 1) + 1 for the lower one.

# The values of a layer across an axis, as a vector: Rmpi would copy a matrix, and send what R may then throw away.
face <- function(w, u, axis, layer) {
  x <- w$all[[1]]
  y <- w$all[[2]]
  planes <- u[w$all[[3]]]
  as.vector(switch(axis,
    vapply(planes, function(plane) plane[layer, y], numeric(length(y))),
    vapply(planes, function(plane) plane[x, layer], numeric(length(x))),
    u[[layer]][x, y]
  ))
}

# The field with other values in such a layer.
with_face <- function(w, u, axis, layer, values) {
  x <- w$all[[1]]
  y <- w$all[[2]]
  z <- w$all[[3]]
  if (axis == 3) {
    u[[layer]][x, y] <- values
    return(u)
  }
  values <- matrix(values, ncol = length(z))
  for (k in seq_along(z)) {
    if (axis == 1) u[[z[k]]][layer, y] <- values[, k] else u[[z[k]]][x, layer] <- values[, k]
  }
  u
}

# The sides with a neighbour: its rank, the layers that are sent and received, and the numbers of the messages.
sides <- function(w) {
  side <- function(axis, upper) {
    here <- 2L * axis - 1L + upper
    list(
      axis = axis, rank = w$neighbours[axis, 1 + upper],
      inner = if (upper) w$n[axis] + 1L else 2L, ghost = if (upper) w$n[axis] + 2L else 1L,
      here = here, there = if (upper) here - 1L else here + 1L
    )
  }
  all <- Map(side, rep(1:3, each = 2), c(FALSE, TRUE))
  Filter(function(side) side$rank != mpi.proc.null(), all)
}

# What is in flight has to be kept until it has arrived: Rmpi receives into the memory of the vectors.
start_exchange <- function(w, u) {
  begun <- now_ns()
  outgoing <- lapply(w$sides, function(side) face(w, u, side$axis, side$inner))
  incoming <- lapply(outgoing, function(values) numeric(length(values)))
  for (i in seq_along(w$sides)) {
    side <- w$sides[[i]]
    mpi.irecv(incoming[[i]], double_type, side$rank, side$here, mesh_of_ranks, i - 1L)
  }
  for (i in seq_along(w$sides)) {
    side <- w$sides[[i]]
    mpi.isend(outgoing[[i]], double_type, side$rank, side$there, mesh_of_ranks, length(w$sides) + i - 1L)
  }
  w$communication_ns <- w$communication_ns + (now_ns() - begun)
  list(outgoing = outgoing, incoming = incoming)
}

# The field with the ghost layers that have arrived.
finish_exchange <- function(w, u, under_way) {
  begun <- now_ns()
  if (length(w$sides) > 0) mpi.waitall(2L * length(w$sides))
  for (i in seq_along(w$sides)) {
    side <- w$sides[[i]]
    u <- with_face(w, u, side$axis, side$ghost, under_way$incoming[[i]])
  }
  w$communication_ns <- w$communication_ns + (now_ns() - begun)
  u
}

# This rank's part of u, an array, and how many points are before it along each axis.
wave_part <- function(w) {
  x <- w$all[[1]]
  y <- w$all[[2]]
  values <- vapply(w$u[w$all[[3]]], function(plane) plane[x, y], matrix(0, length(x), length(y)))
  list(values = values, offset = w$offset)
}
