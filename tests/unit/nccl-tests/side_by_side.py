"""Runs the tests of a script at the same time, for scripts whose tests wait for most of their time."""
import concurrent.futures
import sys
import unittest


def tests_in(suite):
    """The single tests of a suite of suites."""
    for part in suite:
        if isinstance(part, unittest.TestSuite):
            yield from tests_in(part)
        else:
            yield part


def run_one(test):
    result = unittest.TestResult()
    test.run(result)
    return result


def main(names):
    """Runs the tests of the script that calls this, or those that are named (Class or Class.test), and exits."""
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(names, sys.modules["__main__"]) if names else loader.loadTestsFromModule(
        sys.modules["__main__"])
    tests = list(tests_in(suite))
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(max(len(tests), 1)) as pool:
        for test, result in zip(tests, pool.map(run_one, tests)):
            bad += 0 if result.wasSuccessful() and result.testsRun == 1 else 1
            print(f"{'ok' if result.wasSuccessful() else 'FAIL'} {test.id()}")
            for _, text in result.failures + result.errors:
                print(text)
    print(f"{len(tests) - bad} passed, {bad} failed")
    sys.exit(1 if bad or not tests else 0)
