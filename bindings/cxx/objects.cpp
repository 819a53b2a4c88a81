/* Objects between two ranks whose receiver learns from the message how long they are: a std::string, a vector
   of integers. */
#include "exchange.hpp"
#include "loops.hpp"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace bench {
namespace {

constexpr int TAG = POLYMPI_PAYLOAD_TAG;

template <class Object> Object receive(const Exchange &x) {
    MPI_Message message;
    MPI_Status status;
    int count;
    MPI_Mprobe(x.peer, TAG, MPI_COMM_WORLD, &message, &status);
    MPI_Get_count(&status, x.type, &count);
    Object object(static_cast<std::size_t>(count), typename Object::value_type());
    MPI_Mrecv(object.data(), count, x.type, &message, MPI_STATUS_IGNORE);
    return object;
}

/* What is sent and what arrived. An object of the wrong length is not shown, and what the check finds is no
   message. */
template <class Object> class Exchanged final : public Case {
  public:
    using Element = typename Object::value_type;

    explicit Exchanged(const Exchange &x)
        : sent(reinterpret_cast<const Element *>(x.outgoing),
               reinterpret_cast<const Element *>(x.outgoing) + x.count),
          incoming_(x.incoming) {}

    void begin() override { received = Object(); }

    void show() override {
        if (received.size() == sent.size())
            std::memcpy(incoming_, received.data(), received.size() * sizeof(Element));
    }

    const Object sent;
    Object received;

  private:
    char *incoming_;
};

template <class Object> polympi_callbacks exchanged(const Exchange &x) {
    auto owner = std::make_unique<Exchanged<Object>>(x);
    const Object *sent = &owner->sent;
    Object *received = &owner->received;
    const auto send = [x, sent] {
        MPI_Send(sent->data(), static_cast<int>(sent->size()), x.type, x.peer, TAG, MPI_COMM_WORLD);
    };
    const auto ping = [x, send, received] {
        send();
        *received = receive<Object>(x);
    };
    const auto pong = [x, send, received] {
        *received = receive<Object>(x);
        send();
    };
    return pair(x.rank, std::move(owner), ping, pong);
}

} // namespace

polympi_callbacks objects(const polympi_case &c, const Exchange &x) {
    switch (c.payload) {
    case POLYMPI_STRING:
        return exchanged<std::string>(x);
    case POLYMPI_LIST:
        return exchanged<std::vector<std::int64_t>>(x);
    default:
        return ping_pong(std::make_unique<Case>(), x); /* of a fixed length: as it lies */
    }
}

} // namespace bench
