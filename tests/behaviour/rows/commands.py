"""The commands: those that run an agent, and those over stored runs."""

from __future__ import annotations

from tests.behaviour.requirement import Requirement

PAGE = "docs/cli.md"

ROWS: dict[str, Requirement] = {
    "CLI-01": Requirement(
        source=PAGE,
        says="`--json` writes one stream event a line with a snake_case type, `response_complete` last, nothing else.",
    ),
    "CLI-02": Requirement(
        source=PAGE, says="`--events` writes one kernel event a line with kind and a dense index, the closing one last."
    ),
    "CLI-03": Requirement(source=PAGE, says="Exit codes: 0 done, 1 error, 2 misuse, 3 paused, 130 cancelled."),
    "CLI-04": Requirement(
        source=PAGE, says="A run is shown live: text, thinking, calls with arguments, results with durations, usage."
    ),
    "CLI-05": Requirement(source=PAGE, says="In a pipe the output holds no colours and no control codes."),
    "CLI-06": Requirement(source=PAGE, says="No control code of a model or a tool reaches a terminal."),
    "CLI-07": Requirement(
        source=PAGE,
        says="The first Ctrl-C or SIGTERM cancels: the closing event still comes, and what is kept is said.",
    ),
    "CLI-08": Requirement(source=PAGE, says="The second stop signal ends the process at once, whatever blocks it."),
    "CLI-09": Requirement(
        source=PAGE, says="A run that fails says one line: code, fixed sentence, reference, and no foreign error text."
    ),
    "CLI-10": Requirement(source=PAGE, says="A misuse is one line on stderr, nothing on stdout, and exit 2."),
    "CLI-11": Requirement(source=PAGE, says="Without the extra `cli` the command prints the line that installs it."),
    "CLI-12": Requirement(
        source=PAGE,
        says="MODULE:NAME is an agent or a factory, found in the current directory first; failures are named.",
    ),
    "CLI-13": Requirement(source=PAGE, says="A reader that goes away ends the command without a word."),
    "CLI-14": Requirement(source=PAGE, says="What tools and libraries print never stands between the lines of events."),
    "CLI-15": Requirement(
        source=PAGE, says="A chat tells the model what was said before; /quit and the end of input end it."
    ),
    "CLI-16": Requirement(source=PAGE, says="The demo fails unless its tool ran and the run is done."),
    "CLI-17": Requirement(
        source=PAGE,
        says="The doctor exits 0 if the essentials are fine, names the fix of each failure, and shows no key.",
    ),
    "CLI-18": Requirement(
        source=PAGE, says="`--timeout` bounds the run: past it the run ends `error`, kept and counted."
    ),
    "CLI-19": Requirement(source=PAGE, says="A count that no provider gave reads `not reported`, never 0."),
    "CLI-20": Requirement(
        source=PAGE,
        says="Stored runs and their threads are listed newest first, by thread and state, and a cut list says so.",
    ),
    "CLI-21": Requirement(
        source=PAGE, says="A stored run is shown at a glance: where it stands, what it was asked, what it has said."
    ),
    "CLI-22": Requirement(
        source=PAGE,
        says="A tail tells a stored run in the forms of `run`, behind any cursor, and ends as the run ended.",
    ),
    "CLI-23": Requirement(
        source=PAGE, says="A wish to cancel outlives the command: accepted now, carried out by the next owner."
    ),
    "CLI-24": Requirement(
        source=PAGE,
        says="What is exported, imported and exported again is the same bytes; what is no export is refused.",
    ),
    "CLI-25": Requirement(
        source=PAGE,
        says="A store that is missing, owned by another process or newer is one line and exit 2, and is not touched.",
    ),
    "CLI-26": Requirement(
        source=PAGE, says="A run or a place in it that is not there is one line, nothing on stdout, and exit 1."
    ),
    "CLI-replay": Requirement(
        source=PAGE,
        says="A stored or exported run is told again in any wire, each of its responses byte for byte as it was sent.",
    ),
}
