"""MURDOCH: auctions among robots that know tasks and resources, not each other (paper 002)."""

from motivation.murdoch.coordinator import Murdoch
from motivation.murdoch.metrics import Candidate, Metric

__all__ = ["Candidate", "Metric", "Murdoch"]
