#ifndef STAGEDOOR_SERVER_RPC_INTRUSIVE_LIST_H_
#define STAGEDOOR_SERVER_RPC_INTRUSIVE_LIST_H_

namespace stagedoor::server {

// A list of objects that contain their own links, so that adding one allocates nothing and removing
// one needs no search. Comparable to boost::intrusive::list. T derives from IntrusiveList<T>::Link,
// is in at most one list at a time, and must be removed before it is destroyed. Not thread-safe.
template <typename T>
class IntrusiveList {
 public:
  class Link {
   public:
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;

    bool linked() const { return next_ != nullptr; }

   private:
    friend class IntrusiveList;
    Link* previous_ = nullptr;
    Link* next_ = nullptr;
  };

  IntrusiveList() { end_.previous_ = end_.next_ = &end_; }
  IntrusiveList(const IntrusiveList&) = delete;
  IntrusiveList& operator=(const IntrusiveList&) = delete;

  bool empty() const { return end_.next_ == &end_; }
  // The first object and the one after `object`; null at the end.
  T* front() const { return Object(end_.next_); }
  T* next(const T& object) const { return Object(static_cast<const Link&>(object).next_); }

  void push_back(T& object) {
    Link& link = object;
    link.previous_ = end_.previous_;
    link.next_ = &end_;
    end_.previous_->next_ = &link;
    end_.previous_ = &link;
  }

  // `object` must be in a list.
  static void Remove(T& object) {
    Link& link = object;
    link.previous_->next_ = link.next_;
    link.next_->previous_ = link.previous_;
    link.previous_ = link.next_ = nullptr;
  }

  // Removes the first object and returns it; null if the list is empty.
  T* pop_front() {
    T* const first = front();
    if (first != nullptr) Remove(*first);
    return first;
  }

 private:
  T* Object(Link* link) const { return link == &end_ ? nullptr : static_cast<T*>(link); }

  Link end_;  // before the first and after the last
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_INTRUSIVE_LIST_H_
