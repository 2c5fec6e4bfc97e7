"""Run the command line with `python -m mqtriage`."""

from mqtriage.cli.frame.main import run

if __name__ == "__main__":
    run()
