"""A cache with a budget in bytes that evicts what was used least recently."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator


class LruCache:
    """Sizes by key. What was used during the last `pinned_seconds` is never evicted."""

    def __init__(self, budget: float, pinned_seconds: float = 0.0) -> None:
        self.budget = budget
        self.bytes = 0.0
        self.evictions = 0
        self._pinned_seconds = pinned_seconds
        self._entries: OrderedDict[Hashable, tuple[float, float]] = OrderedDict()  # size, last use

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, key: Hashable) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._entries)

    def touch(self, key: Hashable, now: float) -> bool:
        """Whether the key is there; if so, it is the most recently used one now."""
        entry = self._entries.get(key)
        if entry is None:
            return False
        self._entries[key] = (entry[0], now)
        self._entries.move_to_end(key)
        return True

    def insert(self, key: Hashable, size: float, now: float) -> bool:
        """Adds a key; False, without an eviction, if that is impossible within the budget."""
        if key in self._entries:
            return self.touch(key, now)
        victims = self._victims(size, now)
        if victims is None:
            return False
        for victim in victims:
            self.bytes -= self._entries.pop(victim)[0]
            self.evictions += 1
        self._entries[key] = (size, now)
        self.bytes += size
        return True

    def has_room(self, size: float, now: float) -> bool:
        """Whether insert() would add something of this size."""
        return self._victims(size, now) is not None

    def _victims(self, size: float, now: float) -> list[Hashable] | None:
        """What must go for something of this size; None if there is not enough that may go."""
        victims: list[Hashable] = []
        free = self.budget - self.bytes
        for candidate, (candidate_size, used) in self._entries.items():
            if free >= size or now - used < self._pinned_seconds:
                break  # all later ones were used more recently
            victims.append(candidate)
            free += candidate_size
        return victims if free >= size else None

    def clear(self) -> None:
        self._entries.clear()
        self.bytes = 0.0
