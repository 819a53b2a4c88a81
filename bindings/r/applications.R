# The programs of examples/applications as cases: their solvers are sourced with this file.

solvers <- list(
  wave = function(case) {
    w <- wave_create(case$edge, case$mode == "overlapped")
    list(
      restart = function() wave_restart(w),
      advance = function(iterations) wave_advance(w, iterations),
      part = function() wave_part(w),
      communication = function() w$communication_ns,
      free = function() wave_free(w)
    )
  },
  "inner-product" = function(case) {
    s <- inner_product_create(case$edge)
    list(
      restart = function() inner_product_restart(s),
      advance = function(iterations) inner_product_advance(s, iterations),
      part = function() inner_product_part(s),
      communication = function() s$communication_ns
    )
  }
)

prepare_application <- function(case) {
  env <- new.env(parent = globalenv())
  # All ranks refuse a problem that does not fit the memory of one.
  env$solver <- tryCatch(
    solvers[[case$benchmark]](case),
    refused = function(e) .Call("polympi_give_up", conditionMessage(e))
  )
  show <- function() {
    env$part <- env$solver$part() # stays here until it is checked where it is
    .Call("polympi_show_part", env$part$values, env$part$offset)
  }
  c(
    list(
      begin = env$solver$restart, show = show, communication = env$solver$communication, release = env$solver$free
    ),
    loops_of(quote(solver$advance(1L)), env, case$alone)
  )
}
