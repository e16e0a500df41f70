/// The script by which a shell completes authctl: it hands the words to `authctl complete`, and puts in what comes back by its own
/// rules of quoting. Nothing that comes back is ever expanded: the name of a profile may come from others.
enum CompletionScript {
    /// By the names of the shells.
    static let all = ["bash": bash, "zsh": zsh, "fish": fish]

    private static let bash = #"""
        # bash completion for authctl, made by: authctl completion bash

        # A word without its quotes, as $plain, with nothing expanded in it; the quote that is still open, as $quote.
        _authctl_plain() {
            local word=$1 char
            plain= quote=
            while [[ -n $word ]]; do
                char=${word:0:1} word=${word:1}
                if [[ $char == "$quote" ]]; then
                    quote=
                elif [[ $char == \\ && $quote != "'" ]]; then
                    plain+=${word:0:1} word=${word:1}
                elif [[ -z $quote && ($char == "'" || $char == '"') ]]; then
                    quote=$char
                else
                    plain+=$char
                fi
            done
        }

        _authctl() {
            local rest=$COMP_LINE word kind line head plain quote
            local -i index left
            local -a typed=() words=() lines=()
            COMPREPLY=()
            # bash takes words apart at COMP_WORDBREAKS, so 127.0.0.1:8765 at its colon: they are put together again. The last one
            # ends at the cursor.
            for ((index = 0; index <= COMP_CWORD; index++)); do
                word=${COMP_WORDS[index]}
                if [[ $index -eq 0 || $rest == [[:space:]]* ]]; then typed+=(''); fi
                rest=${rest#"${rest%%[![:space:]]*}"}
                left=$((COMP_POINT - ${#COMP_LINE} + ${#rest}))
                rest=${rest#"$word"}
                if ((index == COMP_CWORD && left < ${#word})); then word=${word:0:left > 0 ? left : 0}; fi
                typed[${#typed[@]} - 1]+=$word
            done
            for word in "${typed[@]:1}"; do
                _authctl_plain "$word"
                words+=("$plain")
            done
            mapfile -t lines < <(command authctl complete -- "${words[@]}" 2>/dev/null)
            kind=${lines[0]-}
            case $kind in
            files)
                compopt -o default
                ;;
            command)
                for ((index = 1; index < COMP_CWORD; index++)); do
                    [[ ${COMP_WORDS[index]} == -- ]] && break
                done
                if declare -F _comp_command_offset >/dev/null; then
                    _comp_command_offset $((index + 1))
                elif declare -F _command_offset >/dev/null; then
                    _command_offset $((index + 1))
                elif ((COMP_CWORD == index + 1)); then
                    mapfile -t COMPREPLY < <(compgen -c -- "$2")
                else
                    compopt -o default
                fi
                ;;
            words)
                # What readline replaces is the end of the word: what stands before stays, and is no part of a reply.
                word=${words[${#words[@]} - 1]}
                local open
                _authctl_plain "${typed[${#typed[@]} - 1]}"
                open=$quote
                _authctl_plain "$2"
                head=${word%"$plain"}
                for line in "${lines[@]:1}"; do
                    line=${line%%$'\t'*}
                    [[ $line == "$word"* ]] || continue
                    line=${line#"$head"}
                    case $open in
                    '') printf -v line %q "$line" ;;
                    \') [[ $line == *\'* ]] && continue ;;
                    *) [[ $line == *[\"\$\`\\!]* ]] && continue ;;
                    esac
                    COMPREPLY+=("$line")
                done
                ;;
            esac
        }

        complete -F _authctl authctl
        """#

    private static let zsh = #"""
        #compdef authctl
        # zsh completion for authctl, made by: authctl completion zsh

        _authctl() {
            local -a lines values shown
            local line kind
            local -i at described=0
            lines=("${(@f)$(command authctl complete -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
            kind=$lines[1]
            shift lines
            case $kind in
            (files)
                [[ $PREFIX == --*=* ]] && compset -P 1 '*='
                _files
                ;;
            (command)
                at=${words[(ie)--]}
                words=("${(@)words[at+1,-1]}")
                ((CURRENT -= at))
                _normal
                ;;
            (words)
                for line in "${lines[@]}"; do
                    values+=("${line%%$'\t'*}")
                    if [[ $line == *$'\t'* ]]; then
                        described=1
                        line="${(r:24:)line%%$'\t'*} -- ${line#*$'\t'}"
                        # The edge of the terminal would break it in a word.
                        ((${#line} < COLUMNS)) || line="${${line[1,COLUMNS-4]}% *}..."
                    fi
                    shown+=("$line")
                done
                # Not _describe, which would take a profile such as 127.0.0.1:8765 apart at its colon.
                if ((described)); then compadd -l -d shown -a -- values; else compadd -a -- values; fi
                ;;
            esac
        }

        if [[ $funcstack[1] == _authctl ]]; then _authctl "$@"; else compdef _authctl authctl; fi
        """#

    private static let fish = #"""
        # fish completion for authctl, made by: authctl completion fish

        function __authctl_complete
            set -l words (commandline -opc)
            set -l token (commandline -ct)
            set -l plain (string unescape -- "$token")
            # A quote that is still open.
            or set plain (string trim --left --chars "'\"" -- "$token")
            set -l lines (command authctl complete -- $words[2..-1] "$plain" 2>/dev/null)
            switch "$lines[1]"
                case words
                    string join \n -- $lines[2..-1]
                case files
                    set -l option (string match --regex -- '^--[^=]*=' "$plain")
                    for file in (__fish_complete_path (string replace -- "$option" '' "$plain"))
                        echo "$option$file"
                    end
                case command
                    set -l at (contains --index -- -- $words)
                    complete --do-complete (string join ' ' -- (string escape -- $words[(math $at + 1)..-1]) "$token")
            end
        end

        complete --command authctl --no-files --arguments '(__authctl_complete)'
        """#
}
