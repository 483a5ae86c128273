# SPDX-License-Identifier: GPL-2.0
"""The compiler's commands of objects that make has built"""
import os
import re


def command(directory, path):
    """The command for the object PATH in DIRECTORY, without its source and the programs after it.

    The object may be missing; only the file that make writes beside it is read.
    """
    folder, name = os.path.split(path)
    with open(f'{directory}/{folder}/.{name}.cmd', encoding='utf-8') as file:
        saved = re.search(r'^savedcmd_\S+ := (.*)$', file.read(), re.M).group(1)
    saved = re.sub(r' -Wp,-MMD,\S+', '', saved.split(' ; ')[0])
    return re.sub(r' -c -o \S+ \S+\s*$', '', saved)
