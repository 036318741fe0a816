"""What is asked of a frame, of both sides."""
from dataclasses import dataclass, field

from pxr import Usd


@dataclass
class FrameQuestion:
    """A frame: its time, None for default time; the shutter around it, None for no motion; and the fields of FrameSelection."""

    time: float | None = 1.0
    shutter: tuple[float, float] | None = None
    selection: dict = field(default_factory=dict)
    between_snapshots: bool = False

    def request(self):
        """The ExtractFrameRequest as JSON, without stage and token."""
        request = {"time": {"defaultTime": {}} if self.time is None else {"numeric": self.time}, "selection": self.selection}
        if self.shutter:
            request["samplePolicy"] = {"shutterOpen": self.shutter[0], "shutterClose": self.shutter[1]}
        if self.between_snapshots:
            request["changesBetweenSnapshots"] = True
        return request

    @property
    def code(self):
        """The time of what has no motion, in usd-core."""
        return Usd.TimeCode.Default() if self.time is None else Usd.TimeCode(self.time)

    @property
    def interval(self):
        """The shutter in time codes, or None."""
        return (self.time + self.shutter[0], self.time + self.shutter[1]) if self.shutter else None

    def __str__(self):
        return f"frame {self.time}, shutter {self.shutter}, {self.selection}"
