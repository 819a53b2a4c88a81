#define _DEFAULT_SOURCE
#include "glue.h"

#include "_cgo_export.h"

static const char *refuse(void *context, const struct polympi_case *c) {
    (void)context;
    return goRefuse((struct polympi_case *)c);
}

static void begin(void *context) {
    (void)context;
    goBegin();
}

static void end(void *context) {
    (void)context;
    goEnd();
}

static void batch(void *context, int32_t iterations) {
    (void)context;
    goBatch(iterations);
}

static void singly(void *context, int32_t iterations, int64_t *ns) {
    (void)context;
    goSingly(iterations, ns);
}

static void show(void *context) {
    (void)context;
    goShow();
}

static void release(void *context) {
    (void)context;
    goRelease();
}

static int64_t communication(void *context) {
    (void)context;
    return goCommunication();
}

static void prepare(void *context, const struct polympi_case *c, const struct polympi_buffers *buffers,
                    struct polympi_callbacks *callbacks) {
    (void)context;
    goPrepare((struct polympi_case *)c, (struct polympi_buffers *)buffers);
    *callbacks = (struct polympi_callbacks){
        .begin = begin, .end = end, .batch = batch, .singly = singly, .show = show, .release = release};
    if (c->payload == POLYMPI_PROBLEM) {
        callbacks->communication = communication;
        callbacks->check = polympi_application_check;
    }
}

int32_t glue_run(const struct polympi_launch *launch) {
    const struct polympi_program program = {.refuse = refuse, .prepare = prepare};
    return polympi_run(launch, &program);
}
