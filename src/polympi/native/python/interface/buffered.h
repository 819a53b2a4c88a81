/* Buffered sends: a copy of the message that no call waits for, and the room for such copies (MPI 5.0,
 * section 3.6).
 */
#ifndef POLYMPI_PYTHON_INTERFACE_BUFFERED_H
#define POLYMPI_PYTHON_INTERFACE_BUFFERED_H

#include "transfer/communicator.h"

/* Start sending a copy: 0, or -1 with an exception, NoBufferError where there is no room. */
int start_buffered(Communicator *self, PyObject *object, const Call *call);

/* polympi.native.core.set_buffer, buffer_in_use: the room. */
PyObject *set_buffer(PyObject *module, PyObject *nbytes);
PyObject *buffer_in_use(PyObject *module, PyObject *unused);

#endif
