# Completion of slipway and the bandwidth tests for fish. Each program knows its candidates: PROGRAM __complete.
function __slipway_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    # fish compares candidates with the whole word, `--option=` included.
    set -l option (string match -r '^--[^=]*=' -- $current)
    set -l value (string replace -r '^--[^=]*=' '' -- $current)
    for line in ($words[1] __complete $words[2..] $current 2>/dev/null)
        set -l candidates
        switch $line
            case :file
                set candidates (__fish_complete_path "$value")
            case :folder
                set candidates (__fish_complete_directories "$value")
            case :command
                set candidates (__fish_complete_command)
            case :user
                set candidates (__fish_complete_users)
            case '*'
                echo $line
                continue
        end
        for one in $candidates
            echo "$option$one"
        end
    end
end
for program in slipway bandwidth_{perf,scan,compare,plot} \
        {all_gather,all_reduce,alltoall,alltoallv,broadcast,gather,hypercube,reduce,reduce_scatter,scatter,sendrecv}_perf
    complete -c $program -f -a '(__slipway_complete)'
end
