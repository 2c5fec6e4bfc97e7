"""Run the command line with `python -m mqtriage`."""

from mqtriage.cli.main import run

if __name__ == "__main__":
    run()
