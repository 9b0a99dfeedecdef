"""Synthetic data: sequences with something to learn, generated only from their index.

So a step has the same data after a restart, and on another number of ranks.
"""

import torch


def sequence(number, length, vocabulary, seed):
    """Counts up by a fixed stride from a random start; one token in ten is noise."""
    random = torch.Generator().manual_seed(seed * 1_000_003 + number)
    start, stride = torch.randint(vocabulary, (2,), generator=random).tolist()
    tokens = (start + (stride % 7 + 1) * torch.arange(length)) % vocabulary
    noise = torch.randint(vocabulary, (length,), generator=random)
    return torch.where(torch.rand(length, generator=random) < 0.1, noise, tokens)


def share_of_batch(step, rank, ranks, batch, length, vocabulary, seed):
    """This rank's share of the sequences of a step."""
    numbers = range(step * batch + rank, (step + 1) * batch, ranks)
    return torch.stack([sequence(number, length, vocabulary, seed) for number in numbers])
