# The command line and the end of a program, which all ranks have in common.

# The options that are given, over those that hold without them; NULL where a word has no meaning. An option whose value
# is FALSE without it takes no number.
read_options <- function(defaults) {
  words <- commandArgs(trailingOnly = TRUE)
  chosen <- defaults
  while (length(words) > 0) {
    name <- sub("^--", "", words[1])
    if (!startsWith(words[1], "--") || !name %in% names(defaults)) {
      return(NULL)
    }
    if (is.logical(defaults[[name]])) {
      chosen[[name]] <- TRUE
      words <- words[-1]
    } else {
      if (!grepl("^[0-9]+$", words[2]) || as.numeric(words[2]) < 1) {
        return(NULL)
      }
      chosen[[name]] <- as.numeric(words[2])
      words <- words[-(1:2)]
    }
  }
  chosen
}

# Prints on rank 0.
say <- function(text, ..., to = stdout()) {
  if (mpi.comm.rank(world) == 0L) cat(sprintf(text, ...), "\n", sep = "", file = to)
}

# "1 rank" or "2 ranks".
number_of_ranks <- function() {
  ranks <- mpi.comm.size(world)
  sprintf("%d rank%s", ranks, if (ranks == 1) "" else "s")
}

# A number of something without fraction or exponent.
whole <- function(number) sprintf("%.0f", number)

# Runs a program, which gives its exit code, and ends. `defaults` are its options. What all ranks
# refuse is one sentence.
main <- function(usage, defaults, program) {
  chosen <- read_options(defaults)
  code <- 2L
  if (is.null(chosen)) {
    say("usage: %s", usage, to = stderr())
  } else {
    code <- tryCatch(program(chosen), refused = function(e) {
      say("%s", conditionMessage(e), to = stderr())
      2L
    })
  }
  mpi.finalize()
  quit(save = "no", status = code, runLast = FALSE)
}
