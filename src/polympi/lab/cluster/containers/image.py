"""The image of the containers: one that the user names, or one that is built once from the Containerfile."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from polympi.lab.cluster.cluster import ClusterError
from polympi.lab.cluster.containers.keeper import Keeper
from polympi.lab.cluster.containers.podman import last_words, limits

BASE = "debian:bookworm-slim"
NAME = "localhost/polympi-host"
HERE = Path(__file__).parent  # of the Containerfile, and of what it copies
_PULL_S, _BUILD_S = 900.0, 1800.0  # over a slow network


def image_for(image: str | None, base: str | None, keeper: Keeper, say: Callable[[str], None]) -> str:
    """An image that is there, fetched or built where it is missing."""
    if image is not None:
        _fetch(image, keeper, say, "name another with --image, or leave that out to have one built")
        return image
    base = base or BASE
    _fetch(
        base,
        keeper,
        say,
        "name one that is there with --base, or make one of a Debian mirror by debootstrap and 'podman import' "
        "(docs/cluster.md, section Containers)",
    )
    identity = keeper.do(["image", "inspect", "--format={{.Id}}", base]).text
    recipe = "".join((HERE / name).read_text(encoding="utf-8") for name in ("Containerfile", "host.sh"))
    built = f"{NAME}:{hashlib.sha256(f'{identity}{recipe}'.encode()).hexdigest()[:12]}"
    if keeper.do(["image", "exists", built]).code == 0:
        return built
    say(f"building an image upon {base} with ssh, once; it takes a minute")
    # The network of this machine, as a build fetches packages.
    options = ["--network=host", "--force-rm", "--layers=false", *limits()]
    options += [f"--build-arg=BASE={base}", f"--tag={built}"]
    did = keeper.do(["build", *options, str(HERE)], _BUILD_S)
    if did.code != 0:
        raise ClusterError(
            f"The image of the hosts cannot be built upon '{base}': '{last_words(did.errors)}'. It needs apt and a "
            "mirror that answers; --image takes an image that is complete."
        )
    return built


def _fetch(image: str, keeper: Keeper, say: Callable[[str], None], advice: str) -> None:
    if keeper.do(["image", "exists", image]).code == 0:
        return
    say(f"fetching the image {image}")
    did = keeper.do(["pull", "--quiet", image], _PULL_S)
    if did.code != 0:
        raise ClusterError(
            f"The image '{image}' is not on this machine and cannot be fetched ('{last_words(did.errors)}'): {advice}."
        )
