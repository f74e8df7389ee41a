"""A group of commands in Typer: an unknown command is refused with the help that lists the known ones."""

from typing import Any

import typer
from typer.core import TyperGroup

from loadtest.cli import hide_flag_types


class CommandGroup(TyperGroup):
    def get_params(self, ctx: Any) -> Any:
        params = super().get_params(ctx)
        hide_flag_types(params)
        return params

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except typer.TyperException as error:
            error.message += f" `{ctx.command_path} --help` lists the commands."
            raise
