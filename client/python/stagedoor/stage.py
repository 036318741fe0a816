"""Stages, as the synchronous client has them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from stagedoor import _html, _values
from stagedoor._sync.stage import StageCalls
from stagedoor._values import Path
from stagedoor._watch import Changes, WatchState
from stagedoor.attribute import Attribute
from stagedoor.errors import Error
from stagedoor.prim import Prim
from stagedoor.watch import Subscription, Watch


class Stage(StageCalls):
    """An open stage. Corresponds to Usd.Stage. Thread-safe.

    It is a lease, which is kept alive until the stage is closed, and a session: the edits are seen
    only here, unless the stage was opened with a session name. If the lease is lost, because the
    daemon was restarted for example, the stage is opened again, with its edits.
    """

    def __contains__(self, path: Path) -> bool:
        """Whether there is a prim, or a property, at a path."""
        found: Prim | Attribute = self[path]
        return found.exists()

    def __iter__(self) -> Iterator[Prim]:
        return self.traverse()

    def watch(self, *paths: Path, interval: float = 0.0) -> Watch:
        """An iterator over what changes: by edits of any client, by reloads, and by changed files
        if the stage was opened with on_change="follow". Waits for the next change.

        paths: only what concerns these prims and properties, and what is below them.
        interval: the least time between two changes, in seconds; what happens in between is
          reported together. Changes that come while your loop is busy are, too.

            for changes in stage.watch("/World/Char"):
                print(changes.resynced_paths, changes.changed_info)
        """
        texts = [_values.path_text(path) for path in paths]
        return Watch(self._client, WatchState(self._session, texts, interval))

    def on_change(
        self, callback: Callable[[Changes], object], *paths: Path, interval: float = 0.0
    ) -> Subscription:
        """Calls a function for each change, in another thread, until the result is closed."""
        return Subscription(self.watch(*paths, interval=interval), callback)

    def _repr_html_(self) -> str | None:
        try:
            return _html.stage(self)
        except (Error, ValueError):  # notebooks show __repr__ then
            return None

    # ---------------------------------------------------------------------- names of Usd.Stage

    GetPrimAtPath = StageCalls.prim
    GetAttributeAtPath = StageCalls.attribute
    Export = StageCalls.export
    Load = StageCalls.load
    Unload = StageCalls.unload
    Reload = StageCalls.reload

    def GetPseudoRoot(self) -> Prim:
        return self.pseudo_root

    def GetDefaultPrim(self) -> Prim | None:
        return self.default_prim

    def HasDefaultPrim(self) -> bool:
        return bool(self.default_prim)

    def Traverse(self) -> Iterator[Prim]:
        return self.traverse()

    def TraverseAll(self) -> Iterator[Prim]:
        return self.traverse(all=True)

    def GetStartTimeCode(self) -> float:
        return self.start_time_code or 0.0

    def GetEndTimeCode(self) -> float:
        return self.end_time_code or 0.0

    def HasAuthoredTimeCodeRange(self) -> bool:
        return self.start_time_code is not None and self.end_time_code is not None

    def GetTimeCodesPerSecond(self) -> float:
        return self.time_codes_per_second

    def GetFramesPerSecond(self) -> float:
        return self.frames_per_second

    def GetLayerStack(self) -> list[str]:
        return [site.layer for site in self.layer_stack]

    def GetMetadata(self, key: str) -> Any:
        """The metadata of the stage, with the fallbacks of those that have properties here."""
        found = self.metadata.get(key)
        if found is not None:
            return found
        info = self._info()
        fields = {
            "defaultPrim": info.default_prim,
            "endTimeCode": info.end_time_code,
            "framesPerSecond": info.frames_per_second,
            "metersPerUnit": info.meters_per_unit,
            "startTimeCode": info.start_time_code,
            "timeCodesPerSecond": info.time_codes_per_second,
            "upAxis": info.up_axis,
        }
        return fields.get(key)

    def GetUsedLayers(self) -> list[str]:
        return self.used_layers

    def MuteLayer(self, layer: str) -> None:
        self.mute(layer)

    def UnmuteLayer(self, layer: str) -> None:
        self.unmute(layer)
