"""Tests of python_client.py: the parentheses that go with `await`, and the wording of docstrings."""
import os
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import python_client


class ParenthesesTest(unittest.TestCase):
    def test_those_of_an_awaited_operand_are_removed(self):
        for text, wanted in (
            ("x = (await f(1)).y\n", "x = await f(1).y\n"),
            ("x = g((await f(a + b))[0])\n", "x = g(await f(a + b)[0])\n"),
            ("x = not (await self.a.b(c)[d]).e\n", "x = not await self.a.b(c)[d].e\n"),
            ("x = (\n    await f()\n).y\n", "x = \n    await f()\n.y\n"),
            ("x = ((await f()).y, (await g()).z)\n", "x = (await f().y, await g().z)\n"),
        ):
            with self.subTest(text):
                self.assertEqual(python_client.without_parentheses(text), wanted)

    def test_those_of_calls_and_operators_stay(self):
        for text in ("f(await g())\n", "a[0](await g())\n", "f()(await g())\n", "x = (await f() + 1) * 2\n", "x = (await f() if y else z)\n",
                     "x = (a, await f())\n", "x = (a + b).c\n", "class A(b):\n    pass\n"):
            with self.subTest(text):
                self.assertEqual(python_client.without_parentheses(text), text)


class WordingTest(unittest.TestCase):
    def test_examples_in_docstrings_are_synchronous(self):
        text = '''"""Use `async with`.

    async for change in stage.watch():
        await prim.set(stagedoor.aio.open())
"""
from stagedoor._async.prim import PrimCalls
'''
        self.assertEqual(python_client.reworded(text), '''"""Use `with`.

    for change in stage.watch():
        prim.set(stagedoor.open())
"""
from stagedoor._sync.prim import PrimCalls
''')

    def test_words_that_contain_those_of_async_stay(self):
        for text in ("asyncio and awaiting\n", "stagedoor.aiosomething\n", "async is a word\n"):
            self.assertEqual(python_client.reworded(text), text)


if __name__ == "__main__":
    unittest.main()
