/* Memory of a std::vector on huge pages. */
#ifndef APPLICATIONS_HUGE_PAGES_HPP
#define APPLICATIONS_HUGE_PAGES_HPP

#include <cstddef>
#include <new>
#include <sys/mman.h>

/* Memory at the beginning of a huge page. Linux is asked for huge pages, where it has some, before anything
   is written there: a plane is then in few of them, and the processor knows where these are. */
template <class T> struct HugePages {
    using value_type = T;

    HugePages() = default;
    template <class Other> HugePages(const HugePages<Other> &) {}

    T *allocate(std::size_t count) {
        if (count > static_cast<std::size_t>(-1) / 2 / sizeof(T))
            throw std::bad_array_new_length();
        const std::size_t bytes = (count * sizeof(T) + page - 1) / page * page;
        void *memory = ::operator new (bytes, std::align_val_t{page});
#ifdef MADV_HUGEPAGE
        madvise(memory, bytes, MADV_HUGEPAGE);
#endif
        return static_cast<T *>(memory);
    }
    void deallocate(T *memory, std::size_t) { ::operator delete (memory, std::align_val_t{page}); }

    template <class Other> bool operator==(const HugePages<Other> &) const { return true; }
    template <class Other> bool operator!=(const HugePages<Other> &) const { return false; }

  private:
    static constexpr std::size_t page = 2 << 20;
};

#endif
