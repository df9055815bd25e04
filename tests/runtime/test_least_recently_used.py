"""The store that keeps what was used last."""

from concurrent.futures import ThreadPoolExecutor

from sixd.runtime.least_recently_used import Recent


def test_what_was_used_longest_ago_goes_first():
    store = Recent(3)
    for key in "abc":
        assert store.put(key, key.upper()) == key.upper()
    assert store.get("a") == "A"
    store.put("b", "B2")
    store.put("d", "D")
    assert {key: store.get(key) for key in "abcd"} == {"a": "A", "b": "B2", "c": None, "d": "D"}
    assert len(store) == 3


def test_threads_share_it():
    store = Recent(7)

    def use(k):
        for i in range(2_000):
            store.put((k * i) % 23, (k * i) % 23)
            assert store.get(i % 23) in (None, i % 23)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(use, range(1, 9)))
    assert len(store) == 7
