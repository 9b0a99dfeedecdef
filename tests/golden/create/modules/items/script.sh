#!/bin/sh
echo "${HOME}" %{if}
