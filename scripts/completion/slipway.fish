# Completion of slipway for fish. `slipway __complete` knows the candidates.
function __slipway_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] __complete $words[2..] $current 2>/dev/null)
        switch $line
            case :file
                __fish_complete_path (string replace -r '^--[^=]*=' '' -- $current)
            case :folder
                __fish_complete_directories (string replace -r '^--[^=]*=' '' -- $current)
            case :command
                __fish_complete_command
            case :user
                __fish_complete_users
            case '*'
                echo $line
        end
    end
end
complete -c slipway -f -a '(__slipway_complete)'
