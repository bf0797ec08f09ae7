"""The stages of a build, in the order they run, one file each."""
