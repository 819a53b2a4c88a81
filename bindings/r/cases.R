# Which loops each case takes. A loop is made of an iteration, which is an expression: so that an iteration is no call of a
# function of its own, it is put into a loop that runs a batch and into one that times each alone.

payload_tag <- 1L
acknowledgement_tag <- 2L
untimed_calls <- 3L
raw_type <- 4L # the other types are in ranks.R
types <- list(bytes = raw_type, float64 = double_type, none = double_type, int32 = int_type)

take <- function(i) .Call("polympi_take", i - 1L)
put <- function(i, value) .Call("polympi_put", i - 1L, value)

# The loops of an iteration, in an environment with what it uses; what it received, it leaves there as `received`.
# `alone` is whether rank 0 times them alone.
loops_of <- function(iteration, env, alone) {
  batch <- bquote(function(iterations) for (k in seq_len(iterations)) .(iteration))
  on_one_rank <- bquote(function(iterations) {
    ns <- numeric(iterations)
    for (k in seq_len(iterations)) {
      begun <- .Call("polympi_clock_now")
      .(iteration)
      ns[[k]] <- .Call("polympi_clock_now") - begun
    }
    ns
  })
  # All ranks make the call at one moment; one that a rank began too late is made again.
  on_all_ranks <- bquote(function(iterations) {
    ns <- numeric(iterations)
    k <- 1L
    .Call("polympi_start_agree")
    while (k <= iterations) {
      for (untimed in seq_len(untimed_calls)) .(iteration)
      begun <- .Call("polympi_start_wait")
      .(iteration)
      ns[[k]] <- .Call("polympi_clock_now") - begun
      k <- k + .Call("polympi_start_agree")
    }
    ns
  })
  list(
    batch = compiler::cmpfun(eval(batch, env)),
    singly = compiler::cmpfun(eval(if (alone) on_one_rank else on_all_ranks, env))
  )
}

# What an iteration uses: the messages to send, who the other is, and the places of a window.
surroundings <- function(case) {
  env <- new.env(parent = globalenv())
  env$rank <- case$rank
  env$peer <- 1L - case$rank
  env$following <- (case$rank + 1L) %% case$ranks
  env$previous <- (case$rank - 1L) %% case$ranks
  env$slots <- seq_len(max(case$outgoing, case$incoming))
  env$outs <- lapply(seq_len(case$outgoing), take)
  env$out <- if (case$outgoing > 0) env$outs[[1]]
  env$received <- NULL
  env
}

# Cuts what a collective returned into one message for each rank.
messages <- function(received, count) {
  if (is.list(received) || count == 0) {
    return(received)
  }
  length_of_one <- length(received) / count
  lapply(seq_len(count), function(i) received[seq_len(length_of_one) + (i - 1) * length_of_one])
}

show_received <- function(case, env) {
  function() {
    arrived <- messages(env$received, case$incoming)
    for (i in seq_len(case$incoming)) put(i, arrived[[i]])
    env$received <- NULL
  }
}

# An iteration of rank 0 and of rank 1, or of all others in a ring.
of_ranks <- function(a, b) list(a, b)

barrier <- quote(mpi.barrier(world))
sent <- quote(mpi.send(out, type, peer, payload_tag, world))
got <- quote(received <<- mpi.recv(room, type, peer, payload_tag, world))
acknowledge <- quote(mpi.send(acknowledgement, raw_type, peer, acknowledgement_tag, world))
await_acknowledgement <- quote(mpi.recv(acknowledgement, raw_type, peer, acknowledgement_tag, world))

one_after_the_other <- function(...) as.call(c(as.name("{"), list(...)))

iteration_of <- function(known, case) {
  iteration <- known[[paste0(case$benchmark, "/", case$mode)]]
  if (is.list(iteration)) iteration[[if (case$rank == 0L) 1L else 2L]] else iteration
}

# Vectors, by mpi.send and its kin -------------------------------------------------------------------------------------

start_and_wait <- quote({
  mpi.isend(out, type, peer, payload_tag, world, 0L)
  mpi.wait(0L)
})
post_and_wait <- quote({
  mpi.irecv(room, type, peer, payload_tag, world, 0L)
  mpi.wait(0L)
  received <<- room
})
start_sends <- quote(for (i in slots) mpi.isend(outs[[i]], type, peer, payload_tag, world, i - 1L))
post_receives <- quote(for (i in slots) mpi.irecv(received[[i]], type, peer, payload_tag, world, i - 1L))
start_sends_after <- quote(for (i in slots) mpi.isend(outs[[i]], type, peer, payload_tag, world, window + i - 1L))
wait_for_window <- quote(mpi.waitall(window))

vectors <- list(
  "latency/standard" = of_ranks(one_after_the_other(sent, got), one_after_the_other(got, sent)),
  "latency/standard-nonblocking" = of_ranks(
    one_after_the_other(start_and_wait, post_and_wait), one_after_the_other(post_and_wait, start_and_wait)
  ),
  "latency/sendrecv" = quote(
    received <<- mpi.sendrecv(out, type, peer, payload_tag, room, type, peer, payload_tag, world)
  ),
  "bandwidth/standard" = of_ranks(
    one_after_the_other(start_sends, wait_for_window, await_acknowledgement),
    one_after_the_other(post_receives, wait_for_window, acknowledge)
  ),
  "bibandwidth/standard" = one_after_the_other(post_receives, start_sends_after, quote(mpi.waitall(2L * window))),
  "stream/standard" = of_ranks(
    one_after_the_other(
      quote(for (i in slots) mpi.send(outs[[i]], type, peer, payload_tag, world)), await_acknowledgement
    ),
    one_after_the_other(
      quote(for (i in slots) mpi.recv(received[[i]], type, peer, payload_tag, world)), acknowledge
    )
  ),
  "barrier/standard" = barrier,
  "bcast/standard" = quote(received <<- mpi.bcast(room, type, 0L, world)),
  "reduce/standard" = quote(received <<- mpi.reduce(out, type, "sum", 0L, world)),
  "allreduce/standard" = quote(received <<- mpi.allreduce(out, type, "sum", world)),
  "gather/standard" = quote(received <<- mpi.gather(out, type, room, 0L, world)),
  "scatter/standard" = quote(received <<- mpi.scatter(all, type, room, 0L, world)),
  "allgather/standard" = quote(received <<- mpi.allgather(out, type, room, world)),
  "pingpong-int/standard" = of_ranks(one_after_the_other(sent, got), one_after_the_other(got, sent)),
  "ring/standard" = of_ranks(
    quote({
      mpi.send(out, type, following, payload_tag, world)
      received <<- mpi.recv(room, type, previous, payload_tag, world)
    }),
    quote({
      received <<- mpi.recv(room, type, previous, payload_tag, world)
      mpi.send(received, type, following, payload_tag, world)
    })
  )
)

# R keeps arrays by columns: the first index of the cube in C is the last in R.
faces <- list(
  contiguous = c(quote(cube[, , 1L]), quote(cube[, , edge])),
  rows = c(quote(cube[, 1L, ]), quote(cube[, edge, ])),
  elements = c(quote(cube[1L, , ]), quote(cube[edge, , ]))
)

# How many elements a group of a message has, and the places in it of those that are sent, counted from 1.
layouts <- list(
  contiguous = list(period = 4L, sent = 1:4),
  vector = list(period = 8L, sent = c(1L, 3L, 5L, 7L)),
  indexed = list(period = 6L, sent = c(1L, 3L, 4L, 5L)),
  struct = list(period = 5L, sent = c(1L, 2L, 4L, 5L))
)

refuse_buffers <- function(case) {
  if (!is.null(solvers[[case$benchmark]])) {
    return(NULL)
  }
  if (is.null(types[[case$payload]])) {
    return("mpi.send takes vectors; values of R take mpi.send.Robj, which r-object measures")
  }
  if (!case$benchmark %in% c("faces", "datatype") && is.null(vectors[[paste0(case$benchmark, "/", case$mode)]])) {
    return("Rmpi has no such function for vectors, or this program has no loop for it")
  }
  NULL
}

prepare_buffers <- function(case) {
  if (!is.null(solvers[[case$benchmark]])) {
    return(prepare_application(case))
  }
  if (case$benchmark == "faces") {
    return(prepare_faces(case))
  }
  if (case$benchmark == "datatype") {
    return(prepare_datatype(case))
  }
  env <- surroundings(case)
  env$type <- types[[case$payload]]
  env$window <- length(env$slots)
  env$acknowledgement <- raw(1)
  of_type <- list(bytes = as.raw, float64 = as.double, none = as.double, int32 = as.integer)[[case$payload]]
  env$all <- of_type(unlist(env$outs))
  # Room for what arrives: Rmpi writes into the vector it is given.
  empty <- function(i) vector(typeof(env$all), case$count)
  windowed <- case$benchmark %in% c("bandwidth", "bibandwidth", "stream")
  begin <- function() {
    if (windowed) {
      env$received <- lapply(seq_len(case$incoming), empty)
    } else if (case$benchmark == "bcast" && case$rank == 0L) {
      env$room <- env$out
    } else {
      env$room <- vector(typeof(env$all), case$incoming * case$count)
    }
  }
  loops <- loops_of(iteration_of(vectors, case), env, case$alone)
  c(list(begin = begin, show = show_received(case, env)), loops)
}

prepare_faces <- function(case) {
  env <- new.env(parent = globalenv())
  env$edge <- as.integer(case$edge)
  env$peer <- 1L - case$rank
  env$room <- numeric(case$edge^2)
  face <- faces[[case$mode]]
  send <- bquote(mpi.send(.(face[[1]]), double_type, peer, payload_tag, world))
  receive <- bquote(.(face[[2]]) <<- mpi.recv(room, double_type, peer, payload_tag, world))
  iteration <- if (case$rank == 0L) one_after_the_other(send, receive) else one_after_the_other(receive, send)
  begin <- function() env$cube <- array(.Call("polympi_take_memory", FALSE, case$edge^3), rep(case$edge, 3))
  show <- function() .Call("polympi_put_memory", FALSE, env$cube)
  c(list(begin = begin, show = show), loops_of(iteration, env, case$alone))
}

# A message is a vector of which some elements are sent. The bits of an integer in it are those of a double.
prepare_datatype <- function(case) {
  env <- new.env(parent = globalenv())
  env$peer <- 1L - case$rank
  layout <- layouts[[case$mode]]
  groups <- case$count / length(layout$sent)
  env$places <- as.integer(outer(layout$sent, layout$period * (seq_len(groups) - 1L), "+"))
  env$room <- numeric(case$count)
  whole <- case$mode == "contiguous"
  send <- bquote(mpi.send(.(if (whole) quote(out) else quote(out[places])), double_type, peer, payload_tag, world))
  receive <- bquote(
    .(if (whole) quote(received) else quote(received[places])) <<- mpi.recv(room, double_type, peer, payload_tag, world)
  )
  iteration <- if (case$rank == 0L) one_after_the_other(send, receive) else one_after_the_other(receive, send)
  begin <- function() {
    env$out <- .Call("polympi_take_memory", FALSE, groups * layout$period)
    env$received <- .Call("polympi_take_memory", TRUE, groups * layout$period)
  }
  show <- function() .Call("polympi_put_memory", TRUE, env$received)
  c(list(begin = begin, show = show), loops_of(iteration, env, case$alone))
}

# Values of R, by mpi.send.Robj and its kin ----------------------------------------------------------------------------

methods::setClass("Instance", representation(integer = "integer", real = "numeric", text = "character"))

take_value <- function(i, payload) {
  value <- take(i)
  if (payload == "instance") do.call(methods::new, c("Instance", value)) else value
}

put_value <- function(i, value) {
  fields <- methods::slotNames("Instance")
  put(i, if (methods::is(value, "Instance")) lapply(fields, function(field) methods::slot(value, field)) else value)
}

sent_object <- quote(mpi.send.Robj(out, peer, payload_tag, world))
got_object <- quote(received <<- mpi.recv.Robj(peer, payload_tag, world))
pingpong_of_objects <- of_ranks(
  one_after_the_other(sent_object, got_object), one_after_the_other(got_object, sent_object)
)

objects <- list(
  "latency/standard" = pingpong_of_objects,
  "barrier/standard" = barrier,
  "object/standard" = pingpong_of_objects,
  "ring/standard" = of_ranks(
    quote({
      mpi.send.Robj(out, following, payload_tag, world)
      received <<- mpi.recv.Robj(previous, payload_tag, world)
    }),
    quote({
      received <<- mpi.recv.Robj(previous, payload_tag, world)
      mpi.send.Robj(received, following, payload_tag, world)
    })
  )
)

refuse_objects <- function(case) {
  if (case$payload %in% c("float64", "int32")) {
    return("the Robj functions send values, not the contents of a vector; doubles as a value are the payload array")
  }
  if (case$benchmark %in% c("bcast", "gather", "scatter", "allgather")) {
    return("after the garbage collection of each call ranks keep missing the common start of the next")
  }
  if (is.null(objects[[paste0(case$benchmark, "/", case$mode)]])) {
    return("Rmpi has no such function for values, or this program has no loop for it")
  }
  NULL
}

prepare_objects <- function(case) {
  env <- surroundings(case)
  env$out <- if (case$outgoing > 0) take_value(1L, case$payload)
  show <- function() if (case$incoming > 0) put_value(1L, env$received)
  begin <- function() env$received <- NULL
  c(list(begin = begin, show = show), loops_of(iteration_of(objects, case), env, case$alone))
}
