"""`tavolata upgrade`: reports the format that processes write, and lets them write the newest one."""

from deploy.errors import CommandError
from shared.bus import meta, upgrades
from shared.bus.store import Store
from shared.runtime.version import VERSION


async def report(store: Store) -> str:
    """The state of the upgrade, in a few lines."""
    state = await upgrades.read(store)
    lines = [f"the store has format {state.stored}; tavolata {VERSION} writes format {meta.FORMAT}"]
    if state.finished:
        lines.append("the upgrade is finished")
    elif state.older:
        lines.append(f"processes of the release before: {', '.join(state.older)}")
    else:
        lines.append("all processes are of this release: `tavolata upgrade --finish` lets them write its format")
    return "\n".join(lines)


async def finish(store: Store) -> str:
    """Let all processes write the newest format. The release before cannot read the store after that."""
    state = await upgrades.read(store)
    if state.stored not in (meta.LAST_FORMAT, meta.FORMAT):
        raise CommandError(f"the store has format {state.stored}, which this release does not read")
    if state.older:
        raise CommandError(f"processes of the release before are still running: {', '.join(state.older)}")
    await meta.finish_upgrade(store)
    return f"the store has format {meta.FORMAT} now; the release before cannot read it any more"
