"""Importing this gives the test's programs a folder of their own for temporary files, which goes at the end.

Open MPI 4 keeps one folder for all of a user's mpiruns in $TMPDIR. If one ends and another begins at that moment, the other may fail:
"A call to mkdir was unable to create the desired directory".
"""
import atexit
import os
import shutil
import tempfile

os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp()
atexit.register(shutil.rmtree, tempfile.tempdir, ignore_errors=True)
