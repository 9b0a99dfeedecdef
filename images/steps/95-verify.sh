#!/usr/bin/env bash
# checks that the image is complete: kernel modules, programs, files, units
# needs: nothing

"${images_folder:?}/verify.sh"
