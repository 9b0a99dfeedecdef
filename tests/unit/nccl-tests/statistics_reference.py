#!/usr/bin/env python3
"""Computes statistics_reference.inc with scipy, or checks that it is what scipy says.

    statistics_reference.py --check FILE     for the tests; status 77 without scipy
    statistics_reference.py > FILE           after a change

The file is a string of C++. Each line in it is a function, its arguments, the result, and the relative difference that is allowed.
"""
import sys

try:
    import numpy
    from scipy import stats
except ImportError:
    sys.exit(77)

SAMPLES = {
    "ten": [4.61, 4.58, 4.70, 4.55, 4.63, 4.66, 4.59, 5.20, 4.62, 4.57],
    "seven": [4.72, 4.69, 4.81, 4.70, 4.66, 4.90, 4.75],
    "five": [0.031, 0.052, 0.018, 0.044, 0.027],
    "eight": [0.012, -0.004, 0.021, 0.008, 0.015, -0.001, 0.019, 0.003],
    "four": [4.601, 4.6223, 4.5917, 4.6138],
    "six": [4.63, 4.65, 4.60, 4.70, 4.64, 4.66],
    "wide": [4.213, 4.931, 4.487, 5.127, 4.386, 4.842],
}


def text(values):
    return ",".join(repr(float(value)) for value in values)


def median_interval(values):
    ordered, n = sorted(values), len(values)
    k = int(stats.binom.ppf(0.025, n, 0.5))
    if stats.binom.cdf(k, n, 0.5) > 0.025:
        k -= 1
    return [ordered[k], ordered[n - 1 - k]]


def holm(values):
    # Each p-value is multiplied by the number of those that are not smaller, then made to rise.
    ranks = stats.rankdata(values, "ordinal")
    n = len(values)
    return [min(1.0, max((n - r + 1) * v for v, r in zip(values, ranks) if r <= rank)) for rank in ranks]


def by_flips(values):
    test = stats.permutation_test((values,), lambda x, axis: numpy.mean(x, axis=axis),
                                  permutation_type="samples", vectorized=True, alternative="greater",
                                  n_resamples=numpy.inf)
    return test.pvalue


def by_exchanges(first, second):
    def welch(x, y, axis):
        return stats.ttest_ind(y, x, axis=axis, equal_var=False).statistic

    test = stats.permutation_test((first, second), welch, permutation_type="independent", vectorized=True,
                                  alternative="greater", n_resamples=numpy.inf)
    return test.pvalue


def power(critical, freedom):
    """The noncentrality at which t exceeds `critical` with 80 %."""
    low, high = 0.0, 50.0
    for _ in range(200):
        middle = (low + high) / 2
        if stats.nct.sf(critical, freedom, middle) < 0.8:
            low = middle
        else:
            high = middle
    return low


def rows():
    s = SAMPLES
    for z in (-6.0, -1.0, 0.3, 2.5):
        yield "normal_cdf", [[z]], [stats.norm.cdf(z)], 1e-10
    for p in (1e-8, 0.003125, 0.5, 0.8, 0.975):
        yield "normal_quantile", [[p]], [stats.norm.ppf(p)], 1e-9
    for t, freedom in ((-4.3, 2), (0.7, 1), (2.2, 4.37), (3.1, 9), (1.96, 1000)):
        yield "student_cdf", [[t, freedom]], [stats.t.cdf(t, freedom)], 1e-10
    for p, freedom in ((0.975, 1), (0.95, 2), (0.99375, 4), (0.9, 7.5), (0.025, 30), (0.9999, 3)):
        yield "student_quantile", [[p, freedom]], [stats.t.ppf(p, freedom)], 1e-9
    for k, n, p in ((0, 6, 0.5), (3, 20, 0.5), (7, 9, 0.8)):
        yield "binomial_cdf", [[k, n, p]], [stats.binom.cdf(k, n, p)], 1e-12
    for values in ([0.01, 0.04, 0.03, 0.005], [0.2, 0.001, 0.9, 0.013, 0.013], [0.6, 0.7]):
        yield "holm", [values], holm(values), 1e-12
    for name in ("ten", "seven", "six"):
        yield "median_interval", [s[name]], median_interval(s[name]), 1e-12
    for name in ("ten", "seven", "five"):
        yield "trimmed_mean", [s[name]], [stats.trim_mean(s[name], 0.2)], 1e-12
    for first, second in (("four", "six"), ("ten", "seven"), ("wide", "six")):
        test = stats.ttest_ind(s[second], s[first], equal_var=False, alternative="greater")
        yield "welch", [s[first], s[second]], [test.pvalue], 1e-9
        a, b = (numpy.var(s[n], ddof=1) / len(s[n]) for n in (first, second))
        freedom = (a + b) ** 2 / (a**2 / (len(s[first]) - 1) + b**2 / (len(s[second]) - 1))
        yield "welch_freedom", [s[first], s[second]], [freedom], 1e-10
    for name in ("five", "eight"):
        yield "paired", [s[name]], [stats.ttest_1samp(s[name], 0, alternative="greater").pvalue], 1e-9
        yield "sign_flips", [s[name]], [by_flips(s[name])], 1e-12
    for first, second in (("four", "six"), ("six", "wide")):
        yield "exchanges", [s[first], s[second]], [by_exchanges(s[first], s[second])], 1e-12
    for critical, freedom in ((2.0, 7), (3.5, 10), (2.6, 30)):
        yield "power", [[critical, freedom]], [power(critical, freedom)], 0.03


def table():
    lines = ['R"(', f"# The statistics of nccl-tests/ as scipy computes them; made by {sys.argv[0].rsplit('/', 1)[-1]}."]
    for function, arguments, results, digits in rows():
        lines.append(f"{function} {';'.join(map(text, arguments))} = {text(results)} {digits}")
    return "\n".join(lines) + '\n)"\n'


def same(recorded, computed):
    """Equal words, numbers within 1e-9: versions of scipy differ in the last digits."""
    if len(recorded) != len(computed):
        return False
    for old, new in zip(recorded, computed):
        old, new = old.split(" = "), new.split(" = ")
        if old[0] != new[0]:
            return False
        pairs = [[float(n) for n in part[1].split(" ")[0].split(",")] for part in (old, new) if len(part) > 1]
        if len(pairs) == 2 and not numpy.allclose(pairs[0], pairs[1], rtol=1e-9):
            print("recorded", old, "computed", new, file=sys.stderr)
            return False
    return True


def main():
    if sys.argv[1:2] == ["--check"]:
        with open(sys.argv[2], encoding="utf-8") as file:
            return 0 if same(file.read().splitlines(), table().splitlines()) else 1
    sys.stdout.write(table())
    return 0


sys.exit(main())
