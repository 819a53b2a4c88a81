/* What the arguments of each procedure mean, from the letters of procedures.h:

   b B   a buffer that MPI reads, or writes; what follows describes it:
         n l   its count: int, MPI_Count
         A N   an array of counts: of int, of MPI_Count
         d D   its datatype; an array of datatypes
   e s r the rank of a destination (or target), of a source, of a root
   t     a tag                            c C   a communicator; a pointer to one
   q R v a pointer to a request; an array of requests; a request
   y     how many requests                k     a pointer to the index of one
   K I   a pointer to how many indices, and their array
   f     a pointer to a flag              u U   a pointer to a status; an array of them
   m     a pointer to a message           w W h H g   a window, a file, as communicators; a group
   i L   another int, another word        o p   another handle, another pointer */
#include <string.h>

#include "recorder.h"

struct procedure procedures[PROCEDURES] = {
#define P(NAME, KIND, COUNT, SIGNATURE)                                                                      \
    {.name = #NAME, .kind = KIND, .arguments = COUNT, .signature = SIGNATURE},
#include "procedures.h"
};

static const struct block NO_BLOCK = {-1, -1, -1, -1, -1, false, false};

/* The first word that the name contains decides. */
static const struct {
    const char *part;
    enum shape shape;
} shapes[] = {
    {"eighbor", NEIGHBOURS},
    {"educe_scatter_block", REDUCED_BLOCKS},
    {"educe_scatter", REDUCED_PARTS},
    {"llreduce", REDUCED_TO_ALL},
    {"scan", REDUCED_TO_ALL},
    {"Scan", REDUCED_TO_ALL},
    {"educe", REDUCED},
    {"llgather", TO_ALL},
    {"lltoall", ALL_TO_ALL},
    {"gather", TO_ROOT},
    {"Gather", TO_ROOT},
    {"scatter", PARTS_OF_ROOT},
    {"Scatter", PARTS_OF_ROOT},
    {"cast", FROM_ROOT},
};

static enum shape shape_of(const struct procedure *procedure) {
    if (procedure->kind == COLLECTIVE || procedure->kind == ICOLLECTIVE || procedure->kind == COLLECTIVE_INIT)
        for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
            if (strstr(procedure->name, shapes[k].part))
                return shapes[k].shape;
    return NOTHING;
}

static int8_t *place_of(struct procedure *procedure, char letter) {
    switch (letter) {
    case 'e':
        return &procedure->dest;
    case 's':
        return &procedure->source;
    case 'r':
        return &procedure->root;
    case 't':
        return procedure->tag < 0 ? &procedure->tag : &procedure->second_tag;
    case 'c':
        return &procedure->communicator;
    case 'C':
        return &procedure->new_communicator;
    case 'q':
        return &procedure->request;
    case 'R':
        return &procedure->requests;
    case 'v':
        return &procedure->value;
    case 'y':
        return &procedure->number;
    case 'k':
        return &procedure->index;
    case 'K':
        return &procedure->outcount;
    case 'I':
        return &procedure->indices;
    case 'f':
        return &procedure->flag;
    case 'u':
        return &procedure->status;
    case 'U':
        return &procedure->statuses;
    case 'm':
        return &procedure->message;
    case 'w':
        return &procedure->window;
    case 'W':
        return &procedure->new_window;
    case 'h':
        return &procedure->file;
    case 'H':
        return &procedure->new_file;
    case 'g':
        return &procedure->group;
    default:
        return NULL;
    }
}

static void describe_block(struct block *block, char letter, int8_t place) {
    if (block->type >= 0 || block->types >= 0)
        return; /* what follows is the target's, of one-sided communication */
    if (letter == 'n' || letter == 'l')
        block->count = place, block->wide = letter == 'l';
    else if (letter == 'A' || letter == 'N')
        block->counts = place, block->wide = letter == 'N';
    else if (letter == 'd')
        block->type = place;
    else if (letter == 'D')
        block->types = place;
}

static void explain(struct procedure *procedure) {
    memset(&procedure->communicator, -1,
           offsetof(struct procedure, first) - offsetof(struct procedure, communicator));
    procedure->first = procedure->second = NO_BLOCK;
    struct block *block = NULL;
    for (int8_t k = 0; procedure->signature[k]; k++) {
        char letter = procedure->signature[k];
        int8_t *place = place_of(procedure, letter);
        if (letter == 'b' || letter == 'B') {
            block = !block ? &procedure->first : &procedure->second;
            block->buffer = k, block->output = letter == 'B';
        } else if (place) {
            if (*place < 0)
                *place = k;
        } else if (block) {
            describe_block(block, letter, k);
        }
    }
    struct block *first = &procedure->first, *second = &procedure->second;
    if (second->buffer >= 0 && first->count < 0 && first->counts < 0) { /* of a reduction: both are alike */
        int8_t buffer = first->buffer;
        *first = *second;
        first->buffer = buffer, first->output = false;
    }
    procedure->shape = (uint8_t)shape_of(procedure);
    if (strstr(procedure->name, "_Psend_init") || strstr(procedure->name, "_Precv_init"))
        procedure->partitions = first->buffer + 1;
}

void explain_procedures(void) {
    for (int number = 0; number < PROCEDURES; number++)
        explain(&procedures[number]);
}

int procedure_number(const char *name) {
    int low = 0, high = PROCEDURES - 1;
    while (low <= high) {
        int middle = (low + high) / 2, order = strcmp(name, procedures[middle].name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle - 1;
        else
            low = middle + 1;
    }
    return -1;
}
