"""Frames of scenes that are wrong or large: errors are those of single prims, what is in flight is charged, and calls end when they are
cancelled. A bystander must get the right answers meanwhile."""
import os
import tempfile
import unittest

import hostile_test
import http2
import scenes_frames
from bystander import Watched

METHOD = "FrameService/ExtractFrame"
SHUTTER = (-1.0, 1.0, 16)
READERS, CANCELLED = 20, 400
BUDGET = 512 << 20
# Field numbers of ExtractFrameResponse and FramePrims.
PRIMS, ERROR_PATHS, TOKEN, PATHS = 5, 11, 14, 2


class FramesTest(unittest.TestCase):
    def start(self, *flags):
        self.folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(self.folder.cleanup)
        self.watched = Watched(self.folder.name, *flags, may_refuse=(http2.RESOURCE_EXHAUSTED,))
        self.addCleanup(lambda: self.watched.daemon.alive() and self.watched.daemon.process.kill())
        return self.watched

    def open(self, client, make):
        hostile_test.write(self.folder.name, make)
        root = os.path.join(self.folder.name, make.__name__, "root.usda")
        status, opened = client.call("StagesService/OpenStage", http2.open_stage(root))
        self.assertEqual(status, http2.OK)
        return http2.handle_in(opened[0])

    def expect_nothing_left(self):
        watched = self.watched
        watched.serve_bystander()
        watched.bystander.pause()
        watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") == 0, "calls end")
        watched.eventually(lambda: watched.metric("stagedoor_requests_bytes") == 0, "bytes are released")
        watched.stop()

    def frame_of(self, make):
        """(paths of prims, paths with an error) of the frame of a scene."""
        client = http2.Client(self.start().address)
        handle = self.open(client, make)
        status, messages = client.call(METHOD, http2.extract_frame(handle, 1.0))
        client.close()
        self.assertEqual(status, http2.OK)
        self.assertTrue(http2.text_of(messages[-1], TOKEN))
        prims = [path.decode() for message in messages for batch in http2.texts_of(message, PRIMS) for path in http2.texts_of(batch, PATHS)]
        errors = [path.decode() for message in messages for path in http2.texts_of(message, ERROR_PATHS)]
        return prims, errors

    def test_inconsistent_instancers_are_errors_of_their_prims(self):
        prims, errors = self.frame_of(scenes_frames.inconsistent_instancers)
        wrong = {f"/I{i}" for i in range(scenes_frames.INCONSISTENT)}
        self.assertEqual(set(prims), wrong | {"/P", "/Right"})
        self.assertEqual(set(errors), wrong)
        self.expect_nothing_left()

    def test_prototypes_in_circles_are_drawn_once(self):
        prims, _ = self.frame_of(scenes_frames.prototypes_in_circles)
        self.assertLess(len(prims), 200 * 10)
        self.expect_nothing_left()

    def test_bad_skins_do_not_fail_the_frame(self):
        prims, _ = self.frame_of(scenes_frames.bad_skins)
        self.assertEqual(len(prims), len(set(prims)))
        self.assertEqual(len([path for path in prims if path.endswith("/Mesh")]), 5 * 400)
        self.expect_nothing_left()

    def test_a_frame_in_flight_is_charged(self):
        watched = self.start(f"--calls-bytes={BUDGET}")
        opener = http2.Client(watched.address)
        handle = self.open(opener, scenes_frames.moving_points)
        before = watched.memory()
        # They grant no bytes after the first ones, so that the frames stay in flight.
        readers = [http2.Client(watched.address, window=4096, receive_buffer=4096) for _ in range(READERS)]
        for client in readers:
            client.start(METHOD, http2.extract_frame(handle, 2.0, SHUTTER))
        watched.eventually(lambda: watched.metric("stagedoor_requests_bytes") > 1 << 20, "frames are charged")
        watched.serve_bystander()
        self.assertLess(watched.daemon.peak - before, BUDGET * 1.2)
        for client in [opener, *readers]:
            client.close()
        self.expect_nothing_left()

    def test_a_slow_reader_does_not_hold_up_the_plan_of_others(self):
        watched = self.start()
        client = http2.Client(watched.address)
        handle = self.open(client, scenes_frames.many_prims)
        # The first one makes the plan as it reads, and stops reading. Another one gives up in the middle.
        slow = http2.Client(watched.address, window=4096, receive_buffer=4096)
        slow.start(METHOD, http2.extract_frame(handle, 1.0))
        watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") >= 1, "the first frame is in flight")
        gone = http2.Client(watched.address, window=4096, receive_buffer=4096)
        gone.start(METHOD, http2.extract_frame(handle, 1.0))
        gone.close()
        for _ in range(2):
            status, messages = client.call(METHOD, http2.extract_frame(handle, 1.0))
            self.assertEqual(status, http2.OK)
            prims = [path for message in messages for batch in http2.texts_of(message, PRIMS) for path in http2.texts_of(batch, PATHS)]
            self.assertEqual(len(prims), scenes_frames.MANY_PRIMS)
            self.assertEqual(len(set(prims)), scenes_frames.MANY_PRIMS)
        for one in (slow, client):
            one.close()
        self.expect_nothing_left()

    def test_cancelled_frames_end(self):
        watched = self.start(f"--calls-bytes={BUDGET}")
        client = http2.Client(watched.address)
        handles = [self.open(client, make) for make in (scenes_frames.million_instances, scenes_frames.moving_points,
                                                        scenes_frames.instances_of_instancers)]
        for first in range(0, CANCELLED, 40):
            burst = b""
            for n in range(first, first + 40):
                stream, frames = client.request(METHOD, http2.extract_frame(handles[n % 3], float(n % 5), SHUTTER))
                # In the same packet, or while the frame is computed.
                burst += frames + (http2.frame(http2.RST_STREAM, 0, stream, http2.CANCEL.to_bytes(4, "big")) if n % 2 else b"")
            client.socket.sendall(burst)
            gone = http2.Client(watched.address)
            gone.start(METHOD, http2.extract_frame(handles[first % 3], 1.0, SHUTTER))
            gone.close()
            client.close()  # cancels the rest
            client = http2.Client(watched.address)
            watched.serve_bystander()
            watched.eventually(lambda: watched.metric("stagedoor_requests_in_flight") <= 1, "cancelled calls end")
        client.close()
        self.expect_nothing_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
