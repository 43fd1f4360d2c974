"""The interface of datasketch 2.0, and its signatures, on the engine of Benzer.

Signatures have the same hash values as those of datasketch with the same scheme, seed and hash function, so that stored
ones can be read, compared and queried. `load` and `loads` read pickles of datasketch.

>>> from benzer.datasketch import MinHash, MinHashLSH
>>> m = MinHash(num_perm=128)
>>> m.update_batch([b"minhash", b"is", b"a", b"signature"])
>>> lsh = MinHashLSH(threshold=0.5, num_perm=128)
>>> lsh.insert("first", m)
>>> lsh.query(m)
['first']
"""

from benzer.datasketch._pickles import load, loads
from benzer.datasketch._unsupported import HNSW, AsyncMinHashLSH, HyperLogLog, HyperLogLogPlusPlus, MinHashLSHBloom
from benzer.datasketch.b_bit_minhash import bBitMinHash
from benzer.datasketch.hashfunc import sha1_hash32, sha1_hash64
from benzer.datasketch.lean_minhash import LeanMinHash
from benzer.datasketch.lsh import MinHashLSH, MinHashLSHDeletionSession, MinHashLSHInsertionSession
from benzer.datasketch.lshensemble import MinHashLSHEnsemble
from benzer.datasketch.lshforest import MinHashLSHForest
from benzer.datasketch.minhash import MinHash
from benzer.datasketch.weighted_minhash import WeightedMinHash, WeightedMinHashGenerator

WeightedMinHashLSH = MinHashLSH
WeightedMinHashLSHForest = MinHashLSHForest

__all__ = [
    "HNSW",
    "AsyncMinHashLSH",
    "HyperLogLog",
    "HyperLogLogPlusPlus",
    "LeanMinHash",
    "MinHash",
    "MinHashLSH",
    "MinHashLSHBloom",
    "MinHashLSHDeletionSession",
    "MinHashLSHEnsemble",
    "MinHashLSHForest",
    "MinHashLSHInsertionSession",
    "WeightedMinHash",
    "WeightedMinHashGenerator",
    "WeightedMinHashLSH",
    "WeightedMinHashLSHForest",
    "bBitMinHash",
    "load",
    "loads",
    "sha1_hash32",
    "sha1_hash64",
]
