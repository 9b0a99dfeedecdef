#!/usr/bin/env python3
"""Writes a text file as a C++ header with a constant named after the file: embed.py FILE HEADER"""
import pathlib
import sys

source, header = map(pathlib.Path, sys.argv[1:])
text = source.read_text()
header.write_text(f'// The text of {source.name}, made by the build.\n#pragma once\n\n'
                  f'inline constexpr const char* {source.stem}_text = R"text({text})text";\n')
