"""What real shells offer when you complete a line: bash and zsh in a terminal, fish by its `complete -C`."""
import os, pathlib, pty, re, select, shutil, subprocess, tempfile, time, tty

# Each prints what it offers to descriptor 3, then END.
BASH = r"""
PS1=
bind 'set completion-query-items 0' 'set mark-directories on' 2>/dev/null
bind '"\C-o": insert-completions'
bind -x '"\C-t": printf "LINE %s\nEND\n" "$READLINE_LINE" >&3'
source SCRIPT
echo END >&3
"""
ZSH = r"""
fpath=(FOLDER $fpath)
autoload -Uz compinit && compinit -u -D
PS1= PS2=
# Prints each match when compadd adds it, instead of a list on the screen. With -O, -A or -D nothing is added.
compadd() {
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  local one; local -a hits before
  builtin compadd -A hits "$@"
  zparseopts -E p:=before
  for one in "${hits[@]}"; do print -r -- "MATCH $IPREFIX${before[2]}$one" >&3; done
  builtin compadd "$@"
}
zle -C list-them .list-choices _main_complete
show() { zle list-them; print -r -- END >&3; zle kill-whole-line }
zle -N show
bindkey '^I' show
print -r -- END >&3
"""
LISTS = {"bash": "\x0f\x14\x15", "zsh": "\t"}  # the keys that have it print, and forget the line


class Terminal:
    """An interactive shell in a terminal of its own."""

    def __init__(self, words, folder, environment):
        self.answers, end = os.pipe()
        self.pid, self.screen = pty.fork()
        if self.pid == 0:
            os.dup2(end, 3)
            tty.setraw(0)  # keys that come before the shell reads them are not the terminal's to interpret
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        os.close(end)
        self.text, self.shown = b"", b""

    def answer(self, seconds=60):
        """What the shell has printed on descriptor 3 up to END."""
        end = time.monotonic() + seconds
        while b"END\n" not in self.text:
            if time.monotonic() > end:
                raise SystemExit(f"the shell does not answer: {self.text!r}; on its screen: {self.shown[-2000:]!r}")
            for ready in select.select([self.answers, self.screen], [], [], 1)[0]:
                data = os.read(ready, 65536)
                if ready == self.answers:
                    self.text += data
                else:
                    self.shown += data
        before, self.text = self.text.split(b"END\n", 1)
        return before.decode()

    def type(self, text):
        os.write(self.screen, text.encode())

    def close(self):
        os.close(self.screen)
        os.close(self.answers)
        os.waitpid(self.pid, 0)


def of_bash(line, answer):
    """The line with everything inserted that could be there."""
    now = re.search(r"^LINE (.*)$", answer, re.M)[1]
    common = line.rfind(" ") + 1
    assert now.startswith(line[:common]), (line, now)
    words = now[common:].split()
    return [] if now == line else words


def of_zsh(_line, answer):
    return re.findall(r"^MATCH (.*)$", answer, re.M)


def in_terminal(shell, lines, scripts, folder, environment):
    with tempfile.TemporaryDirectory() as home:
        if shell == "zsh":
            pathlib.Path(home, ".zshrc").write_text(ZSH.replace("FOLDER", str(scripts)))
            words = ["zsh", "-i"]
        else:
            pathlib.Path(home, "rc").write_text(BASH.replace("SCRIPT", str(scripts / "slipway.bash")))
            words = ["bash", "--noprofile", "--rcfile", f"{home}/rc", "-i"]
        terminal = Terminal(words, folder, {**environment, "ZDOTDIR": home, "HOME": home, "TERM": "xterm"})
        try:
            terminal.answer()
            for line in lines:
                terminal.type(line + LISTS[shell])
                yield line, (of_zsh if shell == "zsh" else of_bash)(line, terminal.answer())
        finally:
            terminal.close()


def in_fish(lines, scripts, folder, environment):
    with tempfile.TemporaryDirectory() as home:
        for line in lines:
            done = subprocess.run(["fish", "--no-config", "-C", f"source {scripts}/slipway.fish", "-c", "complete -C $argv[1]", line],
                                  cwd=folder, capture_output=True, text=True, timeout=60, env={**environment, "HOME": home})
            yield line, [one.split("\t")[0] for one in done.stdout.splitlines()]


def offered(shell, lines, scripts, folder, path):
    """(line, candidates) of each line, as `shell` offers them with our scripts and the programs in `path`."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("BASH", "ZSH", "PROMPT"))}
    environment |= {"PATH": f"{path}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    if shell == "fish":
        return in_fish(lines, scripts, folder, environment)
    return in_terminal(shell, lines, scripts, folder, environment)


def installed_shells():
    return [shell for shell in ("bash", "zsh", "fish") if shutil.which(shell)]
