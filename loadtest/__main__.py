"""`python -m loadtest`: the command `tavolata load`."""

import typer

from loadtest.cli import Command, load

app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
app.command(cls=Command)(load)

if __name__ == "__main__":
    app(prog_name="python -m loadtest")
